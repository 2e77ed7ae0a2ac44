package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// seen is what has to agree of an Application, in a form that reads well.
type seen struct {
	Absent     bool
	Deleting   bool
	Sync       string
	Health     string
	Phase      string
	Retries    int
	Automated  bool
	Results    map[string]string
	Conditions []string
	Resources  map[string]string
	History    []string
}

// compare returns the first difference of a step that began at a time.
func (p *player) compare(ctx context.Context, index int, from time.Time) (string, error) {
	want := p.expected.Steps[index]
	got, err := p.see(ctx, p.Name)
	if err != nil {
		return "", err
	}
	if diff := different(expectedApp(want.App), got, p.expected.Varies, index); diff != "" {
		return "application: " + diff, nil
	}
	for name, other := range want.Others {
		got, err := p.see(ctx, name)
		if err != nil {
			return "", err
		}
		if diff := different(expectedApp(other), got, nil, index); diff != "" {
			return name + ": " + diff, nil
		}
	}
	if diff := p.compareWrites(want.Writes, p.writes.since(p.story, from)); diff != "" {
		return "writes: " + diff, nil
	}
	return p.compareLive(ctx, want)
}

func different(want, got seen, varies []string, index int) string {
	for _, path := range varies {
		if strings.HasPrefix(path, fmt.Sprintf("steps[%d].application.operationState.syncResult", index)) {
			want.Results, got.Results = nil, nil
		}
	}
	return cmp.Diff(want, got)
}

// appForm reads an Application, recorded or live.
type appForm struct {
	Absent   bool   `json:"absent"`
	Deleting bool   `json:"deleting"`
	Sync     string `json:"sync"`
	Health   string `json:"health"`

	Operation  *operationForm  `json:"operationState"`
	Conditions []conditionForm `json:"conditions"`
	Resources  []resourceForm  `json:"resources"`
	History    []any           `json:"history"`
}

type operationForm struct {
	Phase     string     `json:"phase"`
	Retries   int        `json:"retryCount"`
	Automated bool       `json:"automated"`
	Result    resultForm `json:"syncResult"`
	Operation struct {
		InitiatedBy struct {
			Automated bool `json:"automated"`
		} `json:"initiatedBy"`
	} `json:"operation"`
}

type resultForm struct {
	Resources []resourceForm `json:"resources"`
}

type conditionForm struct {
	Type string `json:"type"`
}

type resourceForm struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	HookType  string `json:"hookType"`
	HookPhase string `json:"hookPhase"`
	SyncPhase string `json:"syncPhase"`
	Health    any    `json:"health"`
	Hook      bool   `json:"hook"`
	Pruning   bool   `json:"requiresPruning"`
}

func (r resourceForm) key() string { return r.Group + "/" + r.Kind + " " + r.Namespace + "/" + r.Name }

func expectedApp(o object) seen {
	var f appForm
	convert(o, &f)
	return f.seen()
}

func (f *appForm) seen() seen {
	s := seen{Absent: f.Absent, Deleting: f.Deleting, Sync: f.Sync, Health: f.Health, Results: map[string]string{}, Resources: map[string]string{}}
	for _, revision := range f.History {
		s.History = append(s.History, fmt.Sprint(revision))
	}
	if op := f.Operation; op != nil {
		s.Phase, s.Retries, s.Automated = op.Phase, op.Retries, op.Automated || op.Operation.InitiatedBy.Automated
		for _, r := range op.Result.Resources {
			text := r.Status
			if r.HookType != "" {
				text += " hook " + r.HookType + " " + r.HookPhase
			}
			s.Results[r.SyncPhase+" "+r.key()] = text
		}
	}
	for _, c := range f.Conditions {
		s.Conditions = append(s.Conditions, c.Type)
	}
	slices.Sort(s.Conditions)
	for _, r := range f.Resources {
		s.Resources[r.key()] = fmt.Sprintf("sync %q health %q hook %t prune %t", r.Status, healthCode(r.Health), r.Hook, r.Pruning)
	}
	return s
}

// healthCode reads both forms: a word, or an object with status.
func healthCode(h any) string {
	switch h := h.(type) {
	case string:
		return h
	case map[string]any:
		code, _ := h["status"].(string)
		return code
	}
	return ""
}

// see reads an Application off the cluster.
func (p *player) see(ctx context.Context, name string) (seen, error) {
	app := p.app(name)
	err := p.Get(ctx, client.ObjectKeyFromObject(app), app)
	if gone(err) {
		return (&appForm{Absent: true}).seen(), nil
	}
	if err != nil {
		return seen{}, err
	}
	var live struct {
		Status struct {
			Sync       conditionStatus `json:"sync"`
			Health     conditionStatus `json:"health"`
			Operation  *operationForm  `json:"operationState"`
			Conditions []conditionForm `json:"conditions"`
			Resources  []resourceForm  `json:"resources"`
			History    []struct {
				Revision  string   `json:"revision"`
				Revisions []string `json:"revisions"`
			} `json:"history"`
		} `json:"status"`
	}
	convert(p.masked(app), &live)
	f := appForm{
		Deleting: app.GetDeletionTimestamp() != nil, Sync: live.Status.Sync.Status, Health: live.Status.Health.Status,
		Operation: live.Status.Operation, Conditions: live.Status.Conditions, Resources: live.Status.Resources,
	}
	for _, h := range live.Status.History {
		if len(h.Revisions) > 0 {
			f.History = append(f.History, h.Revisions)
			continue
		}
		f.History = append(f.History, h.Revision)
	}
	return f.seen(), nil
}

type conditionStatus struct {
	Status string `json:"status"`
}

func convert(o object, into any) {
	if err := json.Unmarshal(encode(o), into); err != nil {
		panic(fmt.Sprintf("cannot read %v: %v", o, err)) // a recording of another form
	}
}
