import os

rank = int(os.environ["RANK"])
seed(0)

# 표본을 새로운 순서로 씁니다.
samples = load("<samples>")[rank::2]
shuffle(samples)  # 제자리에서

model = Model()
model = Average(model)


for epoch in range(5):
    step(model, samples)
# 첫 번째 프로세스만 파일을 쓰고 다른 프로세스는 아무것도 쓰지 않고 기다립니다. 그래서
# 이 줄은 깁니다.
if rank == 0:
    save(model)
