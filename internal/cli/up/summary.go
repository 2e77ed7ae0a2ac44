package up

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// summary is printed once all is healthy.
func summary(fleet *local.Fleet, home local.Home, s fleetstatus.Snapshot) string {
	t := s.Count("")
	var b strings.Builder
	b.WriteString("\n" + rolledOut(t, clustersOf(s), live.Seconds(s.Healthy.Sub(s.Started))))
	if idle := t.Apps - t.Good; idle > 0 {
		waits := "wait"
		if idle == 1 {
			waits = "waits"
		}
		fmt.Fprintf(&b, "%s %s to be synced by hand: causeway get apps\n", gitops.Count(idle, "application"), waits)
	}
	names := make([]string, 0, len(fleet.Clusters))
	for _, c := range fleet.Clusters {
		names = append(names, c.Name)
	}
	fmt.Fprintf(&b, "\n  export KUBECONFIG=%s   # contexts: %s\n", asWord(home.Kubeconfig()), strings.Join(names, ", "))
	if alias := kubectlAlias(); alias != "" {
		b.WriteString("  " + alias + "\n")
	}
	if in, err := home.SignIn(); err == nil && in != nil && in.URL != "" {
		b.WriteString(browserLine(in))
	}
	if fleet.Next != "" {
		b.WriteString("\n" + strings.TrimRight(fleet.Next, "\n") + "\n")
	}
	b.WriteString("\n")
	return b.String()
}

// clustersOf counts the clusters of a fleet: those that were started, and
// those that applications are on besides, as declared ones.
func clustersOf(s fleetstatus.Snapshot) int {
	names := map[string]bool{}
	for _, c := range s.Clusters {
		names[c.Name] = true
	}
	for _, a := range s.Apps {
		if a.Cluster != "" {
			names[a.Cluster] = true
		}
	}
	return len(names)
}

// rolledOut says what came of the fleet.
func rolledOut(t fleetstatus.Tally, clusters int, took string) string {
	if t.Apps == 0 {
		return fmt.Sprintf("%s ready after %s. There is no application yet: nothing to roll out.\n", gitops.Count(clusters, "cluster"), took)
	}
	return fmt.Sprintf("%s on %s Synced and Healthy after %s.\n", gitops.Count(t.Good, "application"), gitops.Count(clusters, "cluster"), took)
}

// kubectlAlias is for people who have no kubectl: causeway-kube brings one.
func kubectlAlias() string {
	if _, err := exec.LookPath("kubectl"); err == nil {
		return ""
	}
	path, err := embedded.FindBinary()
	if err != nil {
		return ""
	}
	return "alias kubectl=" + quoted(asWord(path)+" kubectl")
}

// plainWord is what shells take as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// asWord is a text as one word of a shell.
func asWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return quoted(text)
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
