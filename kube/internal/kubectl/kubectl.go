// Package kubectl is upstream's kubectl as a command of this binary, for those who have none: the whole command tree
// with all its flags, KUBECONFIG and kuberc. It runs no plugins.
package kubectl

import (
	"os"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	"k8s.io/kubectl/pkg/cmd"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	// Kubeconfigs of clouds name these ways to log in.
	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

// How fast kubectl may ask for the kinds that a cluster has; upstream's own limits.
const (
	discoveryBurst = 300
	discoveryQPS   = 50
)

// Run makes this process a kubectl and returns its exit code. On most errors upstream ends the process itself, with
// the exit code that kubectl has for them.
func Run(args []string, streams genericiooptions.IOStreams) int {
	// Aliases of kuberc and some messages look at the arguments of the process instead of those handed over.
	os.Args = append([]string{"kubectl"}, args...)
	if _, err := logs.GlogSetter(cmd.GetLogVerbosity(os.Args)); err != nil {
		cmdutil.CheckErr(err)
	}
	if err := cli.RunNoErrOutput(command(streams)); err != nil {
		cmdutil.CheckErr(err)
	}
	return 0
}

func command(streams genericiooptions.IOStreams) *cobra.Command {
	flags := genericclioptions.NewConfigFlags(true).
		WithDeprecatedPasswordFlag().
		WithDiscoveryBurst(discoveryBurst).
		WithDiscoveryQPS(discoveryQPS).
		WithWarningPrinter(streams)
	root := cmd.NewKubectlCommand(cmd.KubectlOptions{Arguments: os.Args, ConfigFlags: flags, IOStreams: streams})
	for _, child := range root.Commands() {
		if child.Name() == "plugin" || child.Name() == "version" {
			root.RemoveCommand(child)
		}
	}
	root.AddCommand(version(flags, streams))
	return root
}
