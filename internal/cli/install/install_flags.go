package install

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// installFlags say how the engine is installed.
type installFlags struct {
	values         []string
	set            []string
	image, version string
}

func (i *installFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&i.values, "values", nil, "file with values of the chart; can be repeated, the last one wins")
	f.StringArrayVar(&i.set, "set", nil, "one value of the chart, as NAME=VALUE; can be repeated, wins over --values")
	f.StringVar(&i.image, "image", "", "image of the engine, as in registry.example.com/causeway:1.2.3 (default: the chart's)")
	f.StringVar(&i.version, "version", "", "tag of the image (default: the version of the chart)")
}

func (i *installFlags) given() bool {
	return len(i.values) > 0 || len(i.set) > 0 || i.image != "" || i.version != ""
}

// engine reads the files.
func (i *installFlags) engine(namespace string) (bootstrap.Engine, error) {
	out := bootstrap.Engine{Namespace: namespace, Set: i.set, Image: i.image, Version: i.version}
	for _, name := range i.values {
		text, err := command.ReadNamed(name, command.LongestInput)
		if err != nil {
			return out, fmt.Errorf("cannot read --values: %w", err)
		}
		out.Files = append(out.Files, bootstrap.Values{Name: name, Text: text})
	}
	return out, nil
}
