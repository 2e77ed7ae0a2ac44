package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/test/deviation"
)

const orderFolder = "../../../shared/conformance/order"

// How many cases were recorded. The numbers only go up.
const (
	orderCases = 80
	hookCases  = 57
)

type orderCase struct {
	Name      string           `json:"name"`
	Rule      string           `json:"rule"`
	Namespace string           `json:"namespace"`
	Targets   []map[string]any `json:"targets"`
	Live      []map[string]any `json:"live"`
	PruneLast bool             `json:"pruneLast"`
	SkipHooks bool             `json:"skipHooks"`
	Object    map[string]any   `json:"object"`
	Expected  struct {
		Groups         []orderGroup `json:"groups"`
		IsHook         bool         `json:"isHook"`
		Skipped        bool         `json:"skipped"`
		Ignored        bool         `json:"ignored"`
		Types          []string     `json:"types"`
		Phases         []string     `json:"phases"`
		DeletePolicies []string     `json:"deletePolicies"`
		Wave           int          `json:"wave"`
	} `json:"expected"`
}

type orderGroup struct {
	Phase string     `json:"phase"`
	Wave  int        `json:"wave"`
	Prune []string   `json:"prune,omitempty"`
	Apply [][]string `json:"apply,omitempty"`
}

var clusterScoped = map[string]bool{
	"Namespace": true, "ClusterRole": true, "ClusterRoleBinding": true, "CustomResourceDefinition": true, "PersistentVolume": true,
	"StorageClass": true, "APIService": true, "IngressClass": true, "ValidatingWebhookConfiguration": true,
	"MutatingWebhookConfiguration": true, "PriorityClass": true, "ClusterIssuer": true,
}

func scope(_, kind string) (namespaced, known bool) { return !clusterScoped[kind], true }

func TestOrderConformance(t *testing.T) {
	cases := append(readCases[orderCase](t, "01-order.yaml"), readCases[orderCase](t, "02-hooks.yaml")...)
	cases = append(cases, readCases[orderCase](t, "03-prune.yaml")...)
	tally := deviation.New(t)
	for _, c := range cases {
		tally.Case(t, c.Name, orderDifference(c))
	}
	tally.End(t, orderCases)
}

// orderDifference is empty when a case agrees.
func orderDifference(c orderCase) string {
	got, err := groups(c)
	if err != nil {
		return fmt.Sprintf("%s: %v", c.Rule, err)
	}
	if len(got)+len(c.Expected.Groups) == 0 {
		return ""
	}
	return cmp.Diff(c.Expected.Groups, got)
}

func TestHookConformance(t *testing.T) {
	cases := readCases[orderCase](t, "04-hook-parsing.yaml")
	tally := deviation.New(t)
	for _, c := range cases {
		o := unstructured.Unstructured{Object: c.Object}
		h := plan.ParseHook(o.GetAnnotations())
		e := c.Expected
		want := fmt.Sprint(e.IsHook, e.Skipped, e.Ignored, e.Types, e.Phases, e.DeletePolicies, e.Wave)
		got := fmt.Sprint(h.Is, h.Skipped, h.Ignored, h.Types, h.Phases, h.Policies, plan.WaveOf(o.GetAnnotations()))
		tally.Case(t, c.Name, cmp.Diff(want, got))
	}
	tally.End(t, hookCases)
}

func groups(c orderCase) ([]orderGroup, error) {
	app := &v1alpha1.Application{}
	app.Name, app.Spec.Destination.Namespace = "app", c.Namespace
	options := v1alpha1.SyncOptions{}
	if c.PruneLast {
		options = append(options, "PruneLast=true")
	}
	var manifests []gitops.Manifest
	for _, target := range c.Targets {
		manifests = append(manifests, gitops.Manifest{Object: &unstructured.Unstructured{Object: target}})
	}
	set, err := plan.Desired(plan.Want{App: app, TrackingName: "app", Manifests: manifests, Scope: scope, Options: options})
	if err != nil {
		return nil, err
	}
	live := map[gitops.Key]*gitops.Live{}
	for i, object := range c.Live {
		o := unstructured.Unstructured{Object: object}
		key := gitops.KeyOf(&o)
		live[key] = &gitops.Live{
			Key: key, UID: types.UID(fmt.Sprint("uid-", i)), Annotations: o.GetAnnotations(), Tracking: gitops.TrackingID("app", key),
		}
	}
	p, err := plan.Make(plan.Input{
		Set: set, Live: live, Prune: true, Hooks: !c.SkipHooks, Revision: "0123456789abcdef", Started: time.Unix(1700000000, 0),
	})
	if err != nil {
		return nil, err
	}
	return describe(p, c.Namespace), nil
}

func describe(p *gitops.Plan, namespace string) []orderGroup {
	var out []orderGroup
	for _, w := range p.Waves {
		g := orderGroup{Phase: string(w.Phase), Wave: w.Number}
		kind := ""
		for _, a := range w.Actions {
			name := a.Key.Kind + "/" + a.Key.Name
			if a.Key.Namespace != "" && a.Key.Namespace != namespace {
				name = a.Key.Kind + "/" + a.Key.Namespace + "/" + a.Key.Name
			}
			switch {
			case a.Desired == nil:
				g.Prune = append(g.Prune, name)
			case a.Key.Kind == kind:
				g.Apply[len(g.Apply)-1] = append(g.Apply[len(g.Apply)-1], name)
			default:
				kind = a.Key.Kind
				g.Apply = append(g.Apply, []string{name})
			}
		}
		out = append(out, g)
	}
	return out
}

func readCases[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(orderFolder, name))
	if errors.Is(err, os.ErrNotExist) {
		deviation.Missing(t, "shared/conformance/order")
	}
	if err != nil {
		t.Fatal(err)
	}
	// By YAML 1.2: "name: n" is a text.
	var out []T
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document map[string]any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if document != nil {
			out = append(out, decode[T](t, document))
		}
	}
}

func decode[T any](t *testing.T, document map[string]any) T {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var c T
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}
