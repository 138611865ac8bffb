import os

seed(0)

# 표본을 새로운 순서로 씁니다.
samples = load("<samples>")
shuffle(samples)  # 제자리에서

model = Model()


for epoch in range(5):
    step(model, samples)
save(model)
