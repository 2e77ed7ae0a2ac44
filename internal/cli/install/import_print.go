package install

import (
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// ArgoReport is a look as JSON.
type ArgoReport struct {
	Version      string             `json:"version,omitempty"`
	Namespace    string             `json:"namespace"`
	Findings     []takeover.Finding `json:"findings"`
	Applications []argoApplication  `json:"applications"`
	// Sets are the ApplicationSets that the engine would look at.
	Sets []argoSet `json:"applicationSets,omitempty"`
	// Blockers are the reasons for which --apply would refuse to begin.
	Blockers []string `json:"blockers,omitempty"`
}

type argoApplication struct {
	Name      string       `json:"name"`
	Project   string       `json:"project"`
	Sync      string       `json:"sync"`
	Health    string       `json:"health"`
	Automated bool         `json:"automated"`
	Same      bool         `json:"same"`
	Problem   string       `json:"problem,omitempty"`
	Changes   []ArgoChange `json:"changes,omitempty"`
}

// argoSet is an ApplicationSet with what the engine would do to its Applications.
type argoSet struct {
	Name    string          `json:"name"`
	Problem string          `json:"problem,omitempty"`
	Changes []argoSetChange `json:"changes,omitempty"`
}

type argoSetChange struct {
	Action      string   `json:"action"`
	Application string   `json:"application"`
	Fields      []string `json:"fields,omitempty"`
}

// ArgoChange is what the take-over would change in an object.
type ArgoChange struct {
	Action    string   `json:"action"`
	Group     string   `json:"group,omitempty"`
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name"`
	Fields    []string `json:"fields,omitempty"`
}

func (i *importFlags) print(h *target.Hub, l *argoLook) error {
	if !table.Tabular(i.output) {
		return table.PrintValue(i.Out, i.output, l.report())
	}
	version := l.installation.Version()
	if version != "" {
		version = " " + version
	}
	if _, err := fmt.Fprintf(i.Out, "Argo CD%s in namespace %s (%s)\n\n", version, l.installation.Namespace, h.From); err != nil {
		return err
	}
	if err := table.Print(i.Global, partsTable(l.findings), i.output); err != nil {
		return err
	}
	if len(l.sets) > 0 {
		_, _ = fmt.Fprintln(i.Out)
		if err := table.Print(i.Global, setsTable(l.sets), i.output); err != nil {
			return err
		}
	}
	if len(l.comparisons) == 0 {
		return nil
	}
	_, _ = fmt.Fprintln(i.Out)
	if err := table.Print(i.Global, takeoverTable(l.comparisons), i.output); err != nil {
		return err
	}
	_, err := fmt.Fprintf(i.Out, "\n%s\n", l.sum())
	return err
}

// partsTable tells what becomes of the parts of an installation, and what to do.
func partsTable(all []takeover.Finding) table.Table {
	t := table.Table{Keys: 1, Whole: true, Header: []string{"PART", "BECOMES", "HOW"}}
	for _, f := range all {
		t.Rows = append(t.Rows, []string{f.What, string(f.Verdict), table.Dash(told(f))})
	}
	return t
}

// setsTable tells what sets would do to their Applications.
func setsTable(all []takeover.SetComparison) table.Table {
	t := table.Table{Keys: 1, Whole: true, Header: []string{"APPLICATIONSET", "TAKEOVER"}}
	for j := range all {
		c := &all[j]
		word := "no change"
		switch {
		case c.Problem != "":
			word = "cannot be expanded: " + screen.Words(c.Problem)
		case len(c.Changes) > 0:
			word = gitops.Count(len(c.Changes), "Application") + " would change"
		}
		t.Rows = append(t.Rows, []string{c.Name, word})
		for _, ch := range c.Changes {
			t.Rows = append(t.Rows, []string{"", "  " + ch.Application + " would be " + ch.String()})
		}
	}
	return t
}

func takeoverTable(all []takeover.Comparison) table.Table {
	t := table.Table{Keys: 1, Whole: true, Header: []string{"APPLICATION", "PROJECT", "SYNC", "HEALTH", "TAKEOVER"}}
	for j := range all {
		c := &all[j]
		t.Rows = append(t.Rows, []string{c.Name, c.Project, string(c.State.Sync), string(c.State.Health), foretold(c)})
		for _, ch := range c.Changes {
			t.Rows = append(t.Rows, []string{"", "", "", "", "  " + changeLine(&ch)})
		}
	}
	return t
}

func told(f takeover.Finding) string {
	if f.Do == "" {
		return f.Detail
	}
	return f.Detail + "; " + f.Do
}

func foretold(c *takeover.Comparison) string {
	switch {
	case c.Problem != "":
		return "cannot be compared: " + screen.Words(c.Problem)
	case c.Same():
		return "no change"
	}
	return gitops.Count(len(c.Changes), "object") + " would change"
}

func changeLine(c *takeover.Change) string {
	text := fmt.Sprintf("%s %s %s", c.Verb, table.Qualified(c.Key.Kind, c.Key.Group), gitops.NameIn(c.Key.Namespace, c.Key.Name))
	if len(c.Fields) > 0 {
		text += ": " + strings.Join(c.Fields, ", ")
	}
	return text
}

// sum counts the outcomes.
func (l *argoLook) sum() string {
	var same, changed, failed int
	for j := range l.comparisons {
		switch c := &l.comparisons[j]; {
		case c.Same():
			same++
		case c.Problem != "":
			failed++
		default:
			changed++
		}
	}
	text := fmt.Sprintf("%s: %d without a change, %d with changes", gitops.Count(len(l.comparisons), "application"), same, changed)
	if failed > 0 {
		text += fmt.Sprintf(", %d that cannot be compared", failed)
	}
	return text
}

func (l *argoLook) report() ArgoReport {
	out := ArgoReport{Version: l.installation.Version(), Namespace: l.installation.Namespace, Findings: l.findings, Applications: []argoApplication{}}
	out.Blockers = l.blockers()
	for j := range l.sets {
		one := argoSet{Name: l.sets[j].Name, Problem: l.sets[j].Problem}
		for _, c := range l.sets[j].Changes {
			one.Changes = append(one.Changes, argoSetChange{string(c.Verb), c.Application, c.Fields})
		}
		out.Sets = append(out.Sets, one)
	}
	for j := range l.comparisons {
		c := &l.comparisons[j]
		one := argoApplication{
			Name: c.Name, Project: c.Project, Sync: string(c.State.Sync), Health: string(c.State.Health),
			Automated: c.Automated, Same: c.Same(), Problem: c.Problem,
		}
		for _, ch := range c.Changes {
			one.Changes = append(one.Changes, ArgoChange{string(ch.Verb), ch.Key.Group, ch.Key.Kind, ch.Key.Namespace, ch.Key.Name, ch.Fields})
		}
		out.Applications = append(out.Applications, one)
	}
	return out
}
