package cli

import "github.com/causeway-gitops/causeway/internal/cli/command"

// ExitCode is one that scripts rely on, for the reference.
type ExitCode struct {
	Code  int
	Means string
}

// ExitCodes are all of them.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{command.ExitFine, "fine"},
		{command.ExitFailed, "failed"},
		{command.ExitUsage, "wrong usage"},
		{command.ExitChanges, "`preview`, `diff`, `import argocd` or `bootstrap --dry-run` looked, and found changes"},
		{command.ExitLate, "the time of `--timeout` was over before `wait`, `sync`, `rollback` or `delete --wait` had what they wait for, or the engine did not answer `get --refresh` or `terminate`"},
		{command.ExitInterrupted, "ended by ctrl-c before it was done"},
	}
}
