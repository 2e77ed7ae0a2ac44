package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/causeway-gitops/causeway/kube/internal/cluster"
	"github.com/causeway-gitops/causeway/kube/internal/encryption"
)

// settings are what the command line and the environment ask for.
type settings struct {
	options  cluster.Options
	parentFD int
	version  bool
	// stopWithin is how long a stop may take before the process ends the hard way. Data is safe then too: etcd syncs.
	stopWithin time.Duration
	groups     cliflag.NamedFlagSets
}

// parse reads the arguments, then the environment for what they leave open.
func parse(args []string, lookup func(string) (string, bool)) (settings, error) {
	s := settings{}
	all := pflag.NewFlagSet("causeway-kube", pflag.ContinueOnError)
	all.Usage = func() {}
	s.declare()
	for _, name := range s.groups.Order {
		all.AddFlagSet(s.groups.FlagSets[name])
	}
	if err := all.Parse(args); err != nil {
		return s, err
	}
	if all.NArg() > 0 {
		return s, fmt.Errorf("cannot take the argument %q: there are flags, and the command kubectl", all.Arg(0))
	}
	var err error
	all.VisitAll(func(f *pflag.Flag) {
		value, found := lookup(variable(f.Name))
		if f.Changed || !found || err != nil {
			return
		}
		if setErr := f.Value.Set(value); setErr != nil {
			err = fmt.Errorf("cannot use %s=%q: %w", variable(f.Name), value, setErr)
		}
	})
	all.VisitAll(func(f *pflag.Flag) {
		if err == nil && f.Value.Type() == "duration" && strings.HasPrefix(f.Value.String(), "-") {
			err = fmt.Errorf("--%s is a length of time and cannot be %s, which is below zero", f.Name, f.Value)
		}
	})
	if err != nil || s.version {
		return s, err
	}
	return s, s.options.Validate()
}

// variable is the environment's name of a flag.
func variable(flag string) string {
	return "CAUSEWAY_KUBE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func (s *settings) declare() {
	o := &s.options
	c := s.groups.FlagSet("Cluster")
	c.StringVar(&o.Name, "name", "causeway", "name of the cluster and of its context in the kubeconfig")
	c.IntVar(&o.Nodes, "nodes", 1, "how many nodes to simulate")
	c.BoolVar(&o.APIOnly, "api-only", false, "run the API server and the controllers of namespaces and garbage alone: what happens to pods, Jobs and the like is left to somebody else")
	c.StringVar(&o.DataDir, "data-dir", "", "folder that keeps the cluster across starts; without it the cluster is gone when the process ends")

	e := s.groups.FlagSet("Encryption at rest")
	e.StringVar(&o.Encryption, "encryption", encryption.ByAge, "how Secrets are kept: age (encrypted, with the key file "+encryption.KeyFile+" of the data folder) or off; what is there stays readable")
	e.StringVar(&o.KMSSocket, "kms-socket", "", "socket of a KMS v2 plugin, such as causeway kms, which encrypts Secrets in the place of the key file")

	a := s.groups.FlagSet("Access")
	a.StringVar(&o.KubeconfigOut, "kubeconfig-out", "", "file to write the administrator's kubeconfig to, once the cluster is ready (default: kubeconfig in the data folder)")
	a.IntVar(&o.Port, "port", 0, "port of the API server on 127.0.0.1 (default: that of the last start, or a free one)")

	l := s.groups.FlagSet("Life")
	l.DurationVar(&o.ReadyWithin, "ready-within", 5*time.Minute, "give up when the cluster is not ready by then")
	l.DurationVar(&s.stopWithin, "stop-within", 10*time.Second, "end the hard way when the cluster has not stopped by then; what the data folder keeps is safe")
	l.IntVar(&s.parentFD, "parent-fd", -1, "stop when the pipe at this file descriptor closes; 0 is standard input")

	g := s.groups.FlagSet("Logs")
	g.StringVar(&o.AuditLog, "audit-log", "", "file that gets one line of JSON for each request to the API server")
	g.StringVar(&o.LogFile, "log-file", "", "file for the logs of the components (default: causeway-kube.log in the data folder)")
	g.IntVar(&o.Verbosity, "v", 0, "above 0: log to standard error, the more the higher")
	g.BoolVar(&s.version, "version", false, "print the version and exit")
}

func help(out io.Writer, s settings) {
	fmt.Fprint(out, `causeway-kube runs a Kubernetes control plane in one process: etcd, kube-apiserver, kube-controller-manager,
kube-scheduler, and kubelets that are simulated by kwok, so that pods get ready without a container being started.
It serves on 127.0.0.1 alone and stops on SIGINT and SIGTERM.

causeway-kube kubectl ... is kubectl, for any cluster: see causeway-kube kubectl --help.
`)
	const width = 100
	cliflag.PrintSections(out, s.groups, width)
	fmt.Fprint(out, `
Each flag can be given as an environment variable too: --data-dir as CAUSEWAY_KUBE_DATA_DIR.

Annotations on a pod choose what its life looks like:
  kube.causeway.io/ready-after: 5s       ready only after that time
  kube.causeway.io/never-ready: "true"   runs, is never ready and never completes
  kube.causeway.io/fail: "true"          crashes again and again; a Job's pod fails
  kube.causeway.io/complete-after: 5s    how long a Job's pod runs
`)
}
