package kubectl

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	componentversion "k8s.io/component-base/version"
	kubectlversion "k8s.io/kubectl/pkg/cmd/version"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/kube/internal/release"
)

// version stands in for upstream's command, which without linker flags calls itself v0.0.0 and warns that it is too
// old for every server.
func version(flags *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams) *cobra.Command {
	var clientOnly bool
	var output string
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the client and server version information",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			found := clientVersion()
			var err error
			if !clientOnly {
				found.ServerVersion, err = serverVersion(flags)
			}
			if printErr := printVersion(streams.Out, output, found); printErr != nil {
				return printErr
			}
			return err
		},
	}
	command.Flags().BoolVar(&clientOnly, "client", false, "If true, shows client version only (no server required).")
	command.Flags().StringVarP(&output, "output", "o", "", "One of 'yaml' or 'json'.")
	return command
}

func clientVersion() kubectlversion.Version {
	client := componentversion.Get()
	client.GitVersion, client.GitCommit = release.Kubernetes(), ""
	kustomize, _ := kubectlversion.GetKustomizeModVersion()
	return kubectlversion.Version{ClientVersion: &client, KustomizeVersion: kustomize}
}

// serverVersion is nil without an error when no cluster is configured.
func serverVersion(flags *genericclioptions.ConfigFlags) (*apimachineryversion.Info, error) {
	client, err := flags.ToDiscoveryClient()
	if clientcmd.IsEmptyConfig(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	client.Invalidate()
	return client.ServerVersion()
}

func printVersion(out io.Writer, format string, v kubectlversion.Version) error {
	var body []byte
	var err error
	switch format {
	case "":
		fmt.Fprintf(out, "Client Version: %s\nKustomize Version: %s\n", v.ClientVersion.GitVersion, v.KustomizeVersion)
		if v.ServerVersion != nil {
			fmt.Fprintf(out, "Server Version: %s\n", v.ServerVersion.GitVersion)
		}
		return nil
	case "json":
		body, err = json.MarshalIndent(v, "", "  ")
	case "yaml":
		body, err = yaml.Marshal(v)
	default:
		return fmt.Errorf("cannot print the version as %q: give --output json or yaml", format)
	}
	if err != nil {
		return fmt.Errorf("cannot print the version: %w", err)
	}
	_, err = fmt.Fprintln(out, string(body))
	return err
}
