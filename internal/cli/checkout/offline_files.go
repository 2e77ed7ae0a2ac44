package checkout

import (
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/offline"
)

// name finds out whether a path lies in the checkout that is looked at.
func (o *Flags) name(path string) (command.Given, error) {
	return command.NameIn(path, command.CheckoutsAround(o.Repo))
}

// read reads a description that a flag names.
func (o *Flags) read(path string) ([]byte, error) {
	n, err := o.name(path)
	if err != nil {
		return nil, err
	}
	return n.Read(offline.MaxDescription)
}
