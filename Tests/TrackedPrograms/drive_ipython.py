"""IPython, with the history of its sessions."""

from common import Program, run

FILE = "history.sqlite"


def session(lines, *options):
    return run("python3", "-m", "IPython", "--no-banner", "--colors=NoColor", "--simple-prompt", f"--HistoryManager.hist_file={FILE}",
               "--HistoryManager.db_log_output=True", *options, text="\n".join(lines) + "\nexit\n")


def first():
    session([f"{number} + 1" for number in range(20)])


def calculate():
    for part in range(3):
        session([f"value = {part}", *(f"value * {number}" for number in range(60)), "1 / 0", "text = 'ü'", "text"])


def search():
    session(["%rep 1/1", "%recall 1/2", "%history -g value", "%history 1/1-5"])


def rename():
    session(["import IPython", "history = IPython.get_ipython().history_manager", "history.name_session('named')", "history.reset(True)", "5"])


def view():
    from IPython.core.history import HistoryAccessor

    history = HistoryAccessor(hist_file=FILE)
    result = [list(history.get_tail(1000, raw=raw, output=output, include_latest=True)) for raw in (True, False) for output in (True, False)]
    return repr((result, list(history.search("*value*", raw=True)), history.get_last_session_id(), history.get_session_info(1)[0]))


def more():
    session(["'more'"])


PROGRAM = Program(
    name="ipython", database=FILE, packages=["ipython==9.18.1"],
    driven="sessions whose input and output are stored, searched, recalled and named",
    first=first, steps=[calculate, search, rename], view=view, more=more)
