"""Ways out: names of functions and modules that read from outside of the rules."""

import random

READS = frozenset({"read_text", "read_bytes"})
ASKS = frozenset(
    {"open", "exists", "is_file", "is_dir", "stat", "iterdir", "glob", "rglob", "walk", "touch",
     "lstat", "is_symlink", "readlink", "samefile"}
)  # fmt: skip
"""Methods of a path that open files, whatever has them; and those that other objects may have."""
LINES = frozenset({"co_firstlineno", "co_lines", "co_positions", "f_lineno", "tb_lineno"})
"""Attributes that say where a line stands, which comments change."""
OPENERS = frozenset(
    {"builtins.open", "io.open", "io.open_code", "os.open", "codecs.open", "gzip.open", "bz2.open",
     "lzma.open", "numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "numpy.fromfile",
     "numpy.memmap", "os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.getsize",
     "os.listdir", "os.scandir", "os.stat", "os.walk", "gzip.GzipFile", "zipfile.ZipFile",
     "tarfile.open", "sqlite3.connect", "io.FileIO", "linecache.getlines", "runpy.run_path",
     "linecache.getline", "filecmp.cmp", "tokenize.open", "wave.open", "zipfile.Path", "os.access",
     "os.lstat", "os.readlink", "os.path.lexists", "os.path.islink", "xml.etree.ElementTree.parse"}
)  # fmt: skip
"""What opens the file that its first argument names, or looks at it."""
CHANGING = frozenset(
    {"builtins.input", "os.urandom", "os.getcwd", "os.getpid", "os.cpu_count", "os.times",
     "sys.argv", "sys.stdin", "sys.path", "os.popen", "os.system", "os.getlogin", "os.uname",
     "pkgutil.get_data", "datetime.datetime.now", "datetime.datetime.today", "datetime.date.today",
     "datetime.datetime.utcnow", "time.time", "time.time_ns", "time.localtime", "time.gmtime",
     "time.ctime", "time.strftime", "random.SystemRandom", "os.path.expandvars",
     "inspect.getsource", "inspect.getsourcelines", "inspect.getcomments", "inspect.findsource",
     "os.path.getmtime", "os.path.getatime", "os.path.getctime", "builtins.hash", "builtins.id",
     "os.getppid", "os.getuid", "os.getloadavg", "os.get_terminal_size", "threading.get_ident",
     "threading.active_count", "_thread.get_ident", "sys.getrefcount", "sys.getallocatedblocks"}
)  # fmt: skip
CHANGING_MODULES = frozenset(
    {"subprocess", "socket", "urllib", "http", "requests", "secrets", "uuid", "tempfile", "ctypes",
     "shelve", "dbm", "fileinput", "mmap", "platform", "getpass", "glob", "cffi", "locale",
     "importlib.resources", "importlib.metadata", "httpx", "ftplib", "posix", "nt",
     "psutil", "multiprocessing", "shutil"}
)  # fmt: skip
OF_CLASSES = frozenset({"now", "today", "utcnow"})
"""Methods of classes that are not the same every time, whatever name the class has."""
MODULES = (
    {name.rpartition(".")[0] for name in OPENERS | CHANGING} | {"random", "pathlib", "importlib"}
) - {"builtins"}
WATCHED = frozenset(
    {name.rpartition(".")[2] for name in OPENERS | CHANGING}
    | {name.partition(".")[0] for name in CHANGING_MODULES}
    | {name for name in dir(random) if name[0] != "_"}
    | {"environ", "environb", "getenv", "getenvb", "random", "import_module", "__import__"}
    | {
        "default_rng",
        "RandomState",
        "resources",
        "metadata",
        "getattr",
        *READS,
        *LINES,
        *OF_CLASSES,
    }
)
"""Functions that use none of these names read nothing from outside."""
HOMES = {
    "_io": "builtins", "posix": "os", "nt": "os", "posixpath": "os.path", "ntpath": "os.path",
    "genericpath": "os.path", "numpy.lib._npyio_impl": "numpy",
    "perfectplay.rules.folder_import": "importlib", "_sqlite3": "sqlite3",
}  # fmt: skip
"""Where functions are known from, by the modules that define them."""
PATHS = {"os.path.join", "os.path.dirname", "os.path.abspath", "os.path.realpath", "os.fspath",
          "os.path.basename", "builtins.str", "os.path.expanduser"}  # fmt: skip
PATH_METHODS = frozenset(
    {"with_name", "with_suffix", "with_stem", "joinpath", "resolve", "absolute", "expanduser"}
)
"""What makes paths of paths, without a look at the files."""
