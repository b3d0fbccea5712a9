"""Prohibitions in Chinese, Japanese and Korean, whose words have no spaces between them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inspector.core.text import lazy_pattern

_FORBIDS = lazy_pattern(
    "不要|不可以?|不能|不得|不准|不许|不許|不允许|別|别|勿|禁止|しないで|しない(?:こと|よう)|するな|ないで(?:ください"
    "|下さい|ね)|てはいけ|てはなら|てはだめ|ちゃだめ|るな|すな|하지 ?마|하지 ?말|지 ?마세요|지 ?말|금지|안 ?돼|안 ?됩"
)
"""Words that forbid something, the Chinese ones before the verb, the others after it."""
_READ_ONLY = lazy_pattern("只读|唯讀|只讀|読み取り専用|읽기 ?전용")
_VERBS: Mapping[str, re.Pattern[str]] = {
    "delete": lazy_pattern("删除?|刪除?|移除|清空|削除|消(?:さ|す|し)|삭제|지우"),
    "push": lazy_pattern("推送|プッシュ|푸시|(?i:push)"),
    "commit": lazy_pattern("提交|コミット|커밋|(?i:commit)"),
    "merge": lazy_pattern("合并|合併|マージ|병합|머지|(?i:merge)"),
    "deploy": lazy_pattern("部署|发布|發布|上线|デプロイ|リリース|公開|배포|(?i:deploy)"),
    "install": lazy_pattern("安装|安裝|インストール|설치"),
    "rename": lazy_pattern("重命名|改名|リネーム|이름을? ?(?:변경|바꾸)"),
    "run": lazy_pattern("运行|執行|执行|実行|실행"),
    "touch": lazy_pattern(
        "修改|写入?|寫入?|書き込|改动|改動|更改|变更|變更|编辑|編輯|覆盖|动|碰|改|変更|編集|修正|触|いじ|変え|수정|변경|편집|건드리"
    ),
    "send": lazy_pattern("发送|發送|送信|送ら|送っ|보내"),
    "connect": lazy_pattern("接続|连接|連接|접속|연결"),
    "use": lazy_pattern("使用|使[わう]|사용|用"),
}
_ASKS = lazy_pattern(
    "问我|問我|询问|跟我(?:说|确认)|(?:和|向|跟)我确认|聞いて"
    "|前に(?:必ず|一度|私に)?確認|相談して|許可を|물어|확인 ?(?:받|하고|해)|허락"
)
_BEFORE = lazy_pattern("之?前|전에")
"""Words of a rule to ask before something is done."""
_CLAUSE = lazy_pattern(r"[,;:，；：、。！\n]|[.](?:\s|$)")
_NAMES = lazy_pattern(r"[A-Za-z0-9_~@./-]{2,200}")
_NOUNS: Mapping[str, str] = {
    "测试": "test",
    "測試": "test",
    "テスト": "test",
    "테스트": "test",
    "迁移": "migration",
    "マイグレーション": "migration",
    "文档": "docs",
    "配置": "config",
    "設定": "config",
    "설정": "config",
    "生产": "production",
    "本番": "production",
    "운영": "production",
    "依赖": "dependency",
    "依存": "dependency",
    "의존성": "dependency",
}
_FILLERS = lazy_pattern(
    "请|請|千万|任何|所有|文件|代码|代碼|目录|目錄|数据库|數據庫|表|分支|远程|东西|直接|自己|擅自|绝对|也|都|还|先|再"
    "|在|到|把|将|对|和|或|的|了|就|我|你|里|裡|上|下|中|ください|下さい|ファイル|コード|フォルダ|テーブル|絶対に?"
    "|勝手に|まだ|には|では|から|まで|[はをもにへのでがしさてよねとる]|파일|코드|폴더|절대로?|아직|제발"
    "|[을를은는이가에도로의]|세요|[\\s!！'\"`「」『』“”]"
)
_MOST_LEFT = 2
"""Characters of other words that a prohibition without a name can contain."""


def forbidden_in_script(rule: str) -> tuple[str, str] | None:
    """Return the English verb that a rule in one of the scripts forbids, and the names of its object; else None.

    A rule about something that has no Latin name and is not one of a few known nouns is uncertain.
    """
    for clause in _CLAUSE.split(rule):
        if _READ_ONLY.search(clause):
            return ("touch", " ".join(named)) if (named := _named_in(clause)) else None
        forbids = _FORBIDS.search(clause)
        rest = _FORBIDS.sub(" ", clause)
        verb = next((verb for verb, pattern in _VERBS.items() if pattern.search(rest)), "") if forbids else ""
        if verb:
            rest = _VERBS[verb].sub(" ", rest)
            names = _named_in(rest)
            for word in _NOUNS:
                rest = rest.replace(word, "")
            is_known = bool(names) or len(_FILLERS.sub("", rest)) <= _MOST_LEFT
            return (verb, " ".join(name for name in names if name != "git")) if is_known else None
    return None


def asked_first_in_script(rule: str) -> str:
    """Return the English verb for the action before which the user wants to be asked; "" for none."""
    if not (_ASKS.search(rule) and _BEFORE.search(rule)):
        return ""
    return next((verb for verb, pattern in _VERBS.items() if verb != "use" and pattern.search(rule)), "")


def _named_in(clause: str) -> list[str]:
    """Return the Latin names in a clause, and the English words for the known nouns."""
    return [*_NAMES.findall(clause), *(noun for word, noun in _NOUNS.items() if word in clause)]


def verbs_in_script(text: str) -> frozenset[str]:
    """Return the English verbs that a text in one of the scripts contains; none for a text in Latin letters."""
    return frozenset(verb for verb, pattern in _VERBS.items() if not text.isascii() and pattern.search(text))
