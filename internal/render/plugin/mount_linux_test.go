package plugin

import "syscall"

// mountSmall mounts a file system of 1 MiB.
func mountSmall(dir string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m") }

func unmount(dir string) { _ = syscall.Unmount(dir, 0) }
