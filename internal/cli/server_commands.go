package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// AnnotationServer tells of a command how --server concerns it: ByServer, or
// why a server is not asked.
const AnnotationServer = "causeway/server"

// ByServer is the annotation of commands that a server answers as a hub does.
const ByServer = "yes"

// hubOnly are the commands that no server is asked for: why, and what to do.
// The key is what follows the name of the program; what is below a command is
// as the command is. All others go by --server.
var hubOnly = map[string]string{
	"up":         "it starts a fleet on this machine",
	"down":       "it stops a fleet on this machine",
	"run":        "it is the engine: name its hub with --kubeconfig",
	"kms":        "it encrypts for an API server on this machine",
	"bootstrap":  "it installs the engine, with rights that no server has: name the cluster with --kubeconfig",
	"import":     "it takes over an installation, and reads what a server shows nobody: name the cluster with --kubeconfig",
	"preview":    "it reads a checkout; the page Bridge of a server shows what other metadata would do",
	"lint":       "it reads a checkout",
	"generate":   "it reads a checkout or a file; causeway get appsets --server URL shows what a hub has made",
	"render":     "it prints manifests whole, and a server masks them: ask causeway diff or tree, or render the checkout with --file",
	"doctor":     "it looks at clusters, Secrets and this machine with your own rights: name the hub with --kubeconfig; causeway get clusters --server URL shows how the engine sees them",
	"mirror":     "it copies repositories to this machine",
	"export":     "it asks each cluster what it serves, with your own rights: name the hub with --kubeconfig",
	"comment":    "it speaks with a Git host",
	"secrets":    "it reads ExternalSecrets of each cluster with the credentials on the hub, which the server shows nobody: name the hub with --kubeconfig",
	"kubeconfig": "it is about a fleet on this machine",
	"version":    "it is about this program",
	"completion": "it is about this program",
}

// ofServer are commands that are of servers, and name theirs as an argument.
var ofServer = map[string]bool{"login": true, "logout": true}

// tellServed notes on each command whether it goes by --server.
func tellServed(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		tellServed(c)
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[AnnotationServer] = ByServer
		if why := whyNoServer(c); why != "" {
			c.Annotations[AnnotationServer] = why
		}
	}
}

// namesOf are the names of a command after the program's.
func namesOf(c *cobra.Command) []string { return strings.Fields(c.CommandPath())[1:] }

// whyNoServer is why a command does not ask a server; empty for one that does.
func whyNoServer(c *cobra.Command) string {
	names := namesOf(c)
	for n := range names {
		if why := hubOnly[strings.Join(names[:n+1], " ")]; why != "" {
			return why
		}
	}
	return ""
}

// checkServer refuses --server where nothing would come of it. One of the
// environment is for the commands that take it.
func checkServer(c *cobra.Command) error {
	f := c.Flags().Lookup("server")
	if f == nil || !f.Changed || !c.HasParent() {
		return nil
	}
	name := strings.Join(namesOf(c), " ")
	if ofServer[name] {
		return command.Usagef("name the server as an argument, without --server: causeway %s %s", name, f.Value)
	}
	if why := whyNoServer(c); why != "" {
		return command.Usagef("causeway %s is not asked of a server: %s", name, why)
	}
	return nil
}
