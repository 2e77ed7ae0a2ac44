package cli

// ExitCode is one that scripts rely on, for the reference.
type ExitCode struct {
	Code  int
	Means string
}

// ExitCodes are all of them.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{exitFine, "fine"},
		{exitFailed, "failed"},
		{exitUsage, "wrong usage"},
		{exitChanges, "`preview`, `diff`, `import argocd` or `bootstrap --dry-run` looked, and found changes"},
		{exitLate, "the time of `--timeout` was over before `wait`, `sync`, `rollback` or `delete --wait` had what they wait for, or the engine did not answer `get --refresh` or `terminate`"},
		{exitInterrupted, "ended by ctrl-c before it was done"},
	}
}
