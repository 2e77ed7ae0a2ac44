package memlimit

import (
	"os"
	"strconv"
)

// parentMark in the environment of a process is the number of the one that
// started it.
const parentMark = "CAUSEWAY_WORKER_OF"

// Parent is the entry for the environment of a process by which it can tell
// that this one is gone.
func Parent() string { return parentMark + "=" + strconv.Itoa(os.Getpid()) }

// Orphan reports whether the process that started this one is gone. It was
// told who that is: by the time that a process can ask, it may have another
// parent already.
func Orphan() bool {
	told := os.Getenv(parentMark)
	return told != "" && told != strconv.Itoa(os.Getppid())
}
