package takeover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Verdict says what becomes of a part of Argo CD.
type Verdict string

// The verdicts.
const (
	AsIs        Verdict = "as it is"
	Differs     Verdict = "differs"
	Unsupported Verdict = "not supported"
)

// Finding is one part of an installation and what becomes of it.
type Finding struct {
	// What the part is, as in "argocd-cm: url".
	What    string  `json:"what"`
	Verdict Verdict `json:"verdict"`
	// Detail says how it is, or how it differs.
	Detail string `json:"detail,omitempty"`
	// Do is an imperative sentence without a full stop; empty when nothing has to be done.
	Do string `json:"do,omitempty"`
}

// What becomes of Argo CD's server. It asks the API server for Applications, and
// its cache (Redis) for all that is about live objects. That cache is filled by
// the application-controller, which makes way; what is in it counts for an hour.
const (
	ServerKeeps   = "lists, states, histories, and asking for syncs, rollbacks, refreshes and deletions go on"
	ServerLoses   = "Its trees, live objects and differences, logs, events of objects, actions, terminals and the state of clusters end within an hour, as they come from a cache (Redis) that Argo CD's application-controller alone fills"
	ServerInstead = "use the engine's own pages and API (--serve; server.enabled of the chart), or causeway tree, diff, logs and actions"
)

// Examine tells what becomes of each part of an installation.
func Examine(i *Installation) []Finding {
	return slices.Concat(
		workloads(i), settings(i), params(i), rbac(i), secrets(i), projects(i), sets(i), applications(i),
	)
}

func workloads(i *Installation) []Finding {
	var out []Finding
	for _, w := range i.Workloads {
		out = append(out, workload(w))
		for _, p := range w.Plugins {
			out = append(out, Finding{"plugin " + p, Differs, "a sidecar of " + w.String() + "; here plugins are commands beside the engine", "put its ConfigManagementPlugin file into the folder of --plugin-dir, and its programs into the engine's image"})
		}
	}
	return out
}

func workload(w Workload) Finding {
	f := Finding{What: w.String(), Verdict: AsIs, Detail: gitops.Count(int(w.Replicas), "replica")}
	if w.Version != "" {
		f.Detail += " of " + w.Version
	}
	switch w.Component {
	case ApplicationController, ApplicationSetController:
		f.Detail += ", makes way for the engine"
	case RepoServer:
		f.Detail += ", keeps running for what Argo CD's server still shows; the engine renders by itself"
	case Server:
		f.Verdict, f.Detail, f.Do = Differs, f.Detail+", keeps running: "+ServerKeeps+". "+ServerLoses, ServerInstead
	case Notifications:
		f.Detail += ", keeps running: it reads what the engine writes into Applications"
	default:
		f.Detail += ", keeps running"
	}
	return f
}

func rbac(i *Installation) []Finding {
	if strings.TrimSpace(i.RBAC["policy.csv"]) == "" && strings.TrimSpace(i.RBAC["policy.default"]) == "" {
		return nil
	}
	return []Finding{{"argocd-rbac-cm", AsIs, "rights of people: they count at the engine's own pages and API, too, where it serves them (--serve)", ""}}
}

func secrets(i *Installation) []Finding {
	out := []Finding{
		{"repositories", AsIs, gitops.Count(i.Repositories, "Secret") + ", " + gitops.Count(i.Templates, "template") + " of credentials", ""},
		{"clusters", AsIs, gitops.Count(i.Clusters, "Secret"), ""},
	}
	for _, text := range i.Unreadable {
		out = append(out, Finding{"Secret", Unsupported, text, "correct it"})
	}
	return out
}

func projects(i *Installation) []Finding {
	out := []Finding{{"projects", AsIs, gitops.Count(len(i.Projects), "AppProject"), ""}}
	for j := range i.Projects {
		if n := len(i.Projects[j].Spec.Roles); n > 0 {
			out = append(out, Finding{"project " + i.Projects[j].Name, AsIs, gitops.Count(n, "role") + " of people: they count at the engine's own pages and API, too", ""})
		}
	}
	return out
}

func sets(i *Installation) []Finding {
	out := []Finding{{"ApplicationSets", AsIs, gitops.Count(len(i.Sets), "ApplicationSet"), ""}}
	for j := range i.Sets {
		if s := &i.Sets[j]; s.Namespace != i.Namespace {
			out = append(out, Finding{"ApplicationSet " + s.Namespace + "/" + s.Name, Unsupported, "ApplicationSets live in the control namespace", "move it to " + i.Namespace + ": its Applications are then made there, as those of each set are in its own namespace"})
		}
	}
	return out
}

func applications(i *Installation) []Finding {
	out := []Finding{{"Applications", AsIs, tally(i.Applications), ""}}
	for j := range i.Applications {
		app := &i.Applications[j]
		name := "application " + gitops.TrackingName(app.Namespace, app.Name, i.Namespace)
		if app.Spec.SourceHydrator != nil {
			out = append(out, Finding{name, Unsupported, "it has a sourceHydrator", "leave it to Argo CD, or commit what is rendered and name that as its source"})
		}
		if slices.ContainsFunc(app.Spec.GetSources(), func(s v1alpha1.ApplicationSource) bool { return s.Plugin != nil }) {
			out = append(out, Finding{name, Differs, "a plugin renders it, which runs beside the engine", "give its folder with --plugin-dir"})
		}
	}
	return out
}

// tally counts applications by sync and health.
func tally(apps []v1alpha1.Application) string {
	counts := map[string]int{}
	for i := range apps {
		counts[stateOf(&apps[i]).String()]++
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if n := counts[b] - counts[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	parts := []string{gitops.Count(len(apps), "Application")}
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
	}
	return strings.Join(parts, ", ")
}
