package applicationset

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
)

// answering is an API server that has an Application, and makes something of what is
// written.
type answering struct {
	client.Client

	from *v1alpha1.Application
	to   func(app *v1alpha1.Application) error
}

func (a answering) Patch(_ context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
	data, err := patch.Data(o)
	if err != nil {
		return err
	}
	before, err := json.Marshal(a.from)
	if err != nil {
		return err
	}
	after, err := jsonpatch.MergePatch(before, data)
	if err != nil {
		return err
	}
	now := &v1alpha1.Application{}
	if err := json.Unmarshal(after, now); err != nil {
		return err
	}
	now.ResourceVersion = "7"
	if err := a.to(now); err != nil {
		return err
	}
	answer, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, o) // as clients do: what is left out stays as it was
}

// TestEchoes: what a set has written itself has it expanded no more, and anything else
// does.
func TestEchoes(t *testing.T) {
	at := func(app *v1alpha1.Application, version string) *v1alpha1.Application {
		out := app.DeepCopy()
		out.ResourceVersion = version
		return out
	}
	type outcome struct{ unsure, missed bool }
	cases := map[string]struct {
		reason string
		to     func(r *Readers, app *v1alpha1.Application) error
		want   outcome
		after  []string // versions of which events come then
		echoes []bool
	}{
		"late":   {"its event comes after the answer", func(*Readers, *v1alpha1.Application) error { return nil }, outcome{}, []string{"7", "7"}, []bool{true, false}},
		"early":  {"or before it", func(r *Readers, app *v1alpha1.Application) error { r.IsEcho(app); return nil }, outcome{}, []string{"7"}, []bool{false}},
		"others": {"somebody writes it as well", func(r *Readers, app *v1alpha1.Application) error { r.IsEcho(at(app, "6")); return nil }, outcome{missed: true}, []string{"7", "8"}, []bool{true, false}},
		"later":  {"somebody writes it afterwards", func(*Readers, *v1alpha1.Application) error { return nil }, outcome{}, []string{"8", "7"}, []bool{false, true}},
		"changed": {"a webhook makes something else of it", func(_ *Readers, app *v1alpha1.Application) error {
			app.Spec.Project = "other"
			return nil
		}, outcome{unsure: true}, []string{"7"}, []bool{false}},
		"dropped": {"or leaves something out", func(_ *Readers, app *v1alpha1.Application) error {
			app.Labels = nil
			return nil
		}, outcome{unsure: true}, []string{"7"}, []bool{false}},
		"changed early": {"and its event was heard before that", func(r *Readers, app *v1alpha1.Application) error {
			r.IsEcho(app)
			app.Spec.Project = "other"
			return nil
		}, outcome{unsure: true, missed: true}, nil, nil},
		"refused": {"nothing was written", func(*Readers, *v1alpha1.Application) error { return errors.New("no") }, outcome{unsure: true}, []string{"6"}, []bool{false}},
		"gone":    {"it is deleted meanwhile", func(r *Readers, app *v1alpha1.Application) error { r.Gone(app); return nil }, outcome{}, []string{"7"}, []bool{false}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			readers := NewReaders()
			var from, to v1alpha1.Application
			from.Namespace, from.Name, from.ResourceVersion = "argocd", "web", "5"
			r := New(Options{Readers: readers, Log: slog.New(slog.DiscardHandler), Client: answering{from: &from, to: func(app *v1alpha1.Application) error { return tc.to(readers, app) }}})
			to = *from.DeepCopy()
			to.Labels = map[string]string{"env": "prod"}
			_, wrote := r.apply(t.Context(), &v1alpha1.ApplicationSet{}, []v1alpha1.Application{from}, &generate.Changes{Update: []v1alpha1.Application{to}})
			if got := (outcome{wrote.unsure, wrote.missed}); got != tc.want {
				t.Errorf("%s: it is %+v", tc.reason, got)
			}
			for i, version := range tc.after {
				if got := readers.IsEcho(at(&to, version)); got != tc.echoes[i] {
					t.Errorf("%s: the event of version %s is an echo: %t", tc.reason, version, got)
				}
			}
		})
	}
}

// TestEchoesAreBounded: who changes an Application again and again while it is written is
// no echo.
func TestEchoesAreBounded(t *testing.T) {
	var e echoes
	app := client.ObjectKey{Name: "web"}
	e.begin(app)
	for i := range 2 * mostSeen {
		if got := e.hear(app, "6"); got != (i < mostSeen) {
			t.Errorf("change %d is an echo: %t", i+1, got)
		}
	}
	if !e.end(app, "7") || !e.hear(app, "7") || len(e.apps) > 0 {
		t.Errorf("afterwards there is %v", e.apps)
	}
}
