// Package flags gives the upstream components their settings: each reads them from a command line only, so that is
// what they get, although they run in this process.
package flags

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
)

// Args are settings by flag name, without the leading dashes.
type Args map[string]string

// Parse hands args to the flags of a component. A flag that the component does not know is an error: a release of
// Kubernetes may take one away.
func Parse(component string, sets cliflag.NamedFlagSets, args Args) error {
	all := pflag.NewFlagSet(component, pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		all.AddFlagSet(set)
	}
	if err := all.Parse(args.list()); err != nil {
		return fmt.Errorf("cannot set up %s: %w", component, err)
	}
	return nil
}

func (a Args) list() []string {
	list := make([]string, 0, len(a))
	for name, value := range a {
		list = append(list, "--"+name+"="+value)
	}
	slices.Sort(list)
	return list
}
