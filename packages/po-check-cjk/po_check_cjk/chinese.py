"""A rule about Chinese: the words of the mainland, not those of Taiwan."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from po_check_cjk.message import Message, rule

# Words of Taiwan that no text of the mainland has, and what to write.
TAIWAN_AND_MAINLAND = (
    "资讯=信息 讯息=消息 讯号=信号 简讯=短信 程式码=代码 原始码=源代码 程式=程序"
    " 记忆体=内存 硬碟=硬盘 磁碟=磁盘 光碟=光盘 软体=软件 硬体=硬件 韧体=固件"
    " 网路=网络 伺服器=服务器 资料夹=文件夹 资料库=数据库 资料集=数据集"
    " 资料结构=数据结构 资料型别=数据类型 资料平行=数据并行 资料并行=数据并行 档案=文件"
    " 影音=音视频 字串=字符串 字元=字符 函式=函数 变数=变量 阵列=数组 物件=对象"
    " 回圈=循环 介面=接口 支援=支持 最佳化=优化 行程=进程 执行绪=线程 列印=打印"
    " 呼叫=调用 萤幕=屏幕 滑鼠=鼠标 连结=链接 登入=登录 快取=缓存 伫列=队列"
    " 频宽=带宽 非同步=异步 平行处理=并行处理 平行运算=并行计算 平行计算=并行计算"
    " 分散式=分布式 引数=参数 模组=模块 巨集=宏 部落格=博客 全域=全局"
    " 区域变数=局部变量 递回=递归 二进位=二进制 十进位=十进制 位元组=字节 位元=位"
    " 晶片=芯片 智慧型=智能 人工智慧=人工智能 神经网路=神经网络 笔电=笔记本电脑"
    " 显示卡=显卡 命令列=命令行 指令码=脚本 演算法=算法 运算子=运算符 运算元=操作数"
    " 解析度=分辨率 画素=像素 逾时=超时 连接埠=端口 通讯埠=端口 位址=地址 封包=数据包"
    " 丛集=集群 协定=协议 汇流排=总线 汇出=导出 汇入=导入 范本=模板 选单=菜单"
    " 视窗=窗口 专案=项目 套件=软件包 相依性=依赖 映像档=镜像 纪录=记录 计画=计划"
    " 回传值=返回值 建构子=构造函数 建构函式=构造函数 类别库=类库 型别=类型 实作=实现"
    " 预设值=默认值 透过=通过 侦错=调试 除错=调试 侦测=检测 撷取=截取 储存库=仓库"
    " 储存格=单元格 核取方块=复选框 工作阶段=会话 权杖=令牌 杂凑=哈希 巢状=嵌套"
    " 游标=光标 剪贴簿=剪贴板 随身碟=U盘 乱数=随机数 物件导向=面向对象 装置=设备"
    " 相容性=兼容性"
)
MAINLAND_WORDS = dict(pair.split("=") for pair in TAIWAN_AND_MAINLAND.split())
# Words of both, with another meaning on the mainland: preset, material, line.
OTHER_MEANINGS = {
    "预设": (r"^(?!.*(?:preset|assum|presuppos))", "默认"),
    "资料": (r"^(?!.*(?:material|resource|read|document|reference|source))", "数据"),
    "平行": (r"^(?!.*\bparallel lines?\b)", "并行"),
    "连线": (r"connect", "连接"),
    "影片": (r"video", "视频"),
}
# Right words that contain one of them: 磁盘阵列, 执行程序.
MAINLAND_TOO = re.compile(
    r"磁盘阵列|[旅执运进并串可平]行程|行程序|档案馆|呼叫中心|全域名"
)
# Letters that the standard holds for other words: 特徵 for 特征, 接著 for 接着.
TAIWAN_LETTERS = re.compile("[後於藉]|[接随跟沿看意味朝向带]著|[特象]徵|乾净")


@rule("zh_CN", "Read the information.", "读取资讯。", "读取信息。")
def mainland_chinese(message: Message) -> Iterator[str]:
    """Chinese for the mainland has none of the words and letters of Taiwan."""
    text = MAINLAND_TOO.sub(" ", message.prose)
    for match in words_of_taiwan().finditer(text):
        if match[0] not in message.msgid:
            yield f"{match[0]} is Taiwan's word (write {MAINLAND_WORDS[match[0]]})"
    for word, (english, instead) in OTHER_MEANINGS.items():
        wanted = re.search(english, message.english, re.IGNORECASE | re.DOTALL)
        if wanted and re.search(rf"(?<!水){word}(?!线|四边)", text):
            yield f"{word} is Taiwan's word here (write {instead})"
    if letters := TAIWAN_LETTERS.search(text):
        yield f"{letters[0]} has letters of Taiwan (write it in simplified ones)"


@rule("zh_CN", "Change your file.", "请修改您的文件。", "请修改你的文件。")
def familiar_chinese(message: Message) -> Iterator[str]:
    """Readers are called 你, not 您."""
    if "您" in message.prose and "您" not in message.msgid:
        yield "您 is too formal (write 你)"


@functools.cache
def words_of_taiwan() -> re.Pattern[str]:
    return re.compile("|".join(sorted(MAINLAND_WORDS, key=len, reverse=True)))
