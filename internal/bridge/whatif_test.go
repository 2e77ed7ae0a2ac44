package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// supposed is a fleet of a dev cluster, with a set that has an Application for
// each one whose label web is true.
func supposed(t *testing.T) Fleet {
	t.Helper()
	stages := fakeStages{expand: func(all []gitops.Cluster) (*generate.Expansion, error) {
		out := &generate.Expansion{Reads: generate.Reads{Clusters: true}}
		for _, c := range all {
			if c.Annotations["region"] == "moon" {
				return nil, errors.New("there is no such region")
			}
			if c.Labels["web"] != "true" {
				continue
			}
			app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web-" + c.Name}}
			app.Spec.Source = &v1alpha1.ApplicationSource{Path: c.Annotations["region"]}
			out.Applications, out.Of = append(out.Applications, app), append(out.Of, generate.OriginOf(&c))
		}
		return out, nil
	}}
	f := Fleet{Stages: stages, Clusters: []Cluster{
		{Cluster: gitops.Cluster{Name: "dev", Secret: "dev", Labels: map[string]string{"web": "true"}, Annotations: map[string]string{"region": "eu"}}},
		{Cluster: gitops.Cluster{Name: "spare", Secret: "spare"}},
	}}
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "webs"}}
	e, err := stages.Expand(t.Context(), set, []gitops.Cluster{f.Clusters[0].Cluster, f.Clusters[1].Cluster})
	if err != nil {
		t.Fatal(err)
	}
	asking := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "asking"}}
	static := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "static"}}
	f.Sets = []Set{
		{ApplicationSet: set, Expansion: e}, {ApplicationSet: static, Expansion: &generate.Expansion{}},
		{ApplicationSet: asking, Expansion: &generate.Expansion{Reads: generate.Reads{Clusters: true, Plugins: true}}},
	}
	return f
}

// TestReadersOfSeveralClusters: what is made of two clusters is read of both, and a
// supposition says that it is neither's alone.
func TestReadersOfSeveralClusters(t *testing.T) {
	f := supposed(t)
	dev, spare := f.Clusters[0].Cluster, f.Clusters[1].Cluster
	f.Sets = f.Sets[:1]
	e := f.Sets[0].Expansion
	e.Of[0], e.Reads.Keys = generate.OriginOf(&dev, &spare), []string{"metadata.annotations.region"}
	for _, c := range Overview(f.Clusters, f.Sets, nil) {
		var readers []Reader
		for _, k := range c.Keys {
			readers = append(readers, k.Readers...)
		}
		for _, k := range c.Missing {
			readers = append(readers, k.Readers...)
		}
		if len(readers) != 1 || len(readers[0].Applications) != 1 {
			t.Errorf("of %s is read by %+v", c.Name, readers)
		}
	}
	for name, of := range map[string]*generate.Origin{"dev": generate.OriginOf(&dev, &spare), "spare": generate.OriginOf(&spare), "": generate.OriginOf()} {
		e.Of[0] = of
		maker := ""
		if set, i := f.makerOf(&e.Applications[0]); set != nil {
			maker = f.Clusters[i].Name
		}
		if maker != name {
			t.Errorf("what is of %v is traced to %q, want %q", of.Clusters(), maker, name)
		}
	}
	e.Of[0] = generate.OriginOf(&dev, &spare)
	found, err := Suppose(t.Context(), f, "dev", []Edit{{Key: Key{Annotation, "region"}, Value: "us"}})
	if err != nil || len(found.Outcomes) != 1 {
		t.Fatal(found, err)
	}
	if o := found.Outcomes[0]; o.Was != nil || o.Is == nil || o.Is.Name != "dev" {
		t.Errorf("it was of %v, and is of %v", o.Was, o.Is)
	}
	found, err = Suppose(t.Context(), f, "spare", []Edit{{Key: Key{Label, "web"}, Value: "true"}})
	if err != nil || len(found.Outcomes) != 1 || found.Outcomes[0].Is == nil || found.Outcomes[0].Is.Name != "spare" {
		t.Errorf("what comes is %+v, %v", found, err)
	}
}

func TestSuppose(t *testing.T) {
	label := func(value string) Edit { return Edit{Key: Key{Label, "web"}, Value: value} }
	region := func(value string) Edit { return Edit{Key: Key{Annotation, "region"}, Value: value} }
	const asked = "asking: it asks plugins or Git hosts, which are not asked for a trial"
	cases := map[string]struct {
		reason, cluster string
		edits           []Edit
		want            []string
	}{
		"nothing":  {"what is as it was changes nothing", "dev", []Edit{label("true")}, []string{asked}},
		"another":  {"an Application follows", "dev", []Edit{region("us")}, []string{"changed web-dev spec.source.path", asked}},
		"another2": {"of a cluster without any, one comes", "spare", []Edit{label("true"), region("us")}, []string{"added web-spare", asked}},
		"end":      {"a key that goes takes it away", "dev", []Edit{{Key: Key{Label, "web"}, Drop: true}}, []string{"removed web-dev", asked}},
		"wrong":    {"a set that gives nothing says why", "dev", []Edit{region("moon")}, []string{"webs: there is no such region", asked}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := supposed(t)
			found, err := Suppose(t.Context(), f, tc.cluster, tc.edits)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, told(found)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if f.Clusters[0].Labels["web"] != "true" || f.Clusters[0].Annotations["region"] != "eu" || len(f.Clusters[1].Labels) != 0 {
				t.Errorf("the fleet is another one: %+v", f.Clusters)
			}
		})
	}
}

// Of a cluster that goes, and of a label, the same Applications go. What is
// told of it goes by the set's policy.
func TestSetsThatShrink(t *testing.T) {
	cases := map[string]struct {
		reason string
		policy v1alpha1.ApplicationsSyncPolicy
		reject bool
		want   []string
		told   string
	}{
		"goes":     {"the set yields what is left", "", false, []string{"webs 1"}, "removed web-dev"},
		"keeps":    {"a policy that keeps Applications keeps them", v1alpha1.ApplicationsSyncPolicyCreateUpdate, false, nil, "policy keeps web-dev"},
		"rejected": {"while one cannot be created none is deleted", "", true, nil, "rejected keeps web-dev"},
		"both":     {"the policy keeps them in any case", v1alpha1.ApplicationsSyncPolicyCreateUpdate, true, nil, "policy keeps web-dev"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := supposed(t)
			expand := f.Stages.(fakeStages).expand
			f.Clusters[1].Labels = map[string]string{"web": "true"}
			f.Sets[0].Expansion, _ = expand([]gitops.Cluster{f.Clusters[0].Cluster, f.Clusters[1].Cluster})
			if tc.policy != "" {
				f.Sets[0].Spec.SyncPolicy = &v1alpha1.ApplicationSetSyncPolicy{ApplicationsSync: &tc.policy}
			}
			f.Stages = fakeStages{expand: func(all []gitops.Cluster) (*generate.Expansion, error) {
				e, err := expand(all)
				if tc.reject {
					e.Rejected = []generate.Rejected{{Name: "web-x", Err: errors.New("no name"), Bare: "generator 1: no name"}}
				}
				return e, err
			}}
			gone, err := Without(t.Context(), f, "dev")
			if err != nil {
				t.Fatal(err)
			}
			unlabelled, err := Suppose(t.Context(), f, "dev", []Edit{{Key: Key{Label, "web"}, Drop: true}})
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range []*WhatIf{gone, unlabelled} {
				var got []string
				for _, s := range found.Shrunk {
					got = append(got, fmt.Sprint(s.Set.Name, " ", len(s.Yields)))
				}
				if d := cmp.Diff(tc.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", tc.reason, d)
				}
				if told := told(found); told[0] != tc.told {
					t.Errorf("outcomes are %v", told)
				}
				if tc.reject && (len(found.Failures) == 0 || found.Failures[0].Reason != "generator 1: no name") {
					t.Errorf("who reads the set is told %v", found.Failures)
				}
			}
			if len(f.Clusters) != 2 || f.Clusters[0].Name != "dev" {
				t.Errorf("the fleet is another one: %+v", f.Clusters)
			}
		})
	}
	if _, err := Without(t.Context(), supposed(t), "nowhere"); err == nil {
		t.Error("there is no such cluster")
	}
}

func told(w *WhatIf) []string {
	var out []string
	for i := range w.Outcomes {
		o := &w.Outcomes[i]
		switch {
		case o.Before == nil:
			out = append(out, "added "+o.App().Name)
		case o.Kept != generate.KeepsNone:
			out = append(out, string(o.Kept)+" keeps "+o.App().Name)
		case o.After == nil:
			out = append(out, "removed "+o.App().Name)
		default:
			var paths []string
			for _, f := range o.Fields {
				paths = append(paths, f.Path)
			}
			out = append(out, "changed "+o.App().Name+" "+strings.Join(paths, " "))
		}
	}
	for _, f := range w.Failures {
		out = append(out, f.Set.Name+": "+f.Reason)
	}
	return out
}

func TestSupposeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Suppose(ctx, supposed(t), "dev", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := Suppose(t.Context(), supposed(t), "nowhere", nil); err == nil {
		t.Error("there is no such cluster")
	}
}

// What becomes of a cluster is told of the one whose Secret is named, where others
// are called as it is, or as its Secret is.
func TestSupposeOfANamesake(t *testing.T) {
	f := supposed(t)
	f.Clusters = append(f.Clusters,
		Cluster{Cluster: gitops.Cluster{Name: "dev", Secret: "other", Annotations: map[string]string{"region": "us"}}},
		Cluster{Cluster: gitops.Cluster{Name: "other", Secret: "third"}})
	found, err := Suppose(t.Context(), f, "other", []Edit{{Key: Key{Annotation, "region"}, Value: "asia"}})
	if err != nil || found.Cluster.Secret != "other" || found.Cluster.Annotations["region"] != "asia" {
		t.Errorf("it is of %+v, %v", found, err)
	}
}

// TestSupposeHoldsSoMuch: sets that make more are told of, and not compared.
func TestSupposeHoldsSoMuch(t *testing.T) {
	f := supposed(t)
	plain := f.Stages
	released := 0
	f.Stages = fakeStages{expand: func(all []gitops.Cluster) (*generate.Expansion, error) {
		out, err := plain.Expand(t.Context(), nil, all)
		out.Held = 100
		released++
		return out, err
	}}
	edits := []Edit{{Key: Key{Annotation, "region"}, Value: "us"}}
	for held, want := range map[int64]int{0: 1, 100: 1, 99: 0} {
		f.Holds = held
		out, err := Suppose(t.Context(), f, "dev", edits)
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for _, failure := range out.Failures {
			if strings.Contains(failure.Reason, "causeway preview") {
				failed++
			}
		}
		if len(out.Outcomes) != want || failed != 1-want {
			t.Errorf("with %d bytes %d Applications follow, and %v", held, len(out.Outcomes), out.Failures)
		}
	}
	f.Holds = 0
	tried := released
	f.Sets[0].Outline()
	out, err := Suppose(t.Context(), f, "dev", edits)
	if err != nil || len(out.Outcomes) > 0 || released > tried || len(out.Failures) != 2 {
		t.Errorf("with names alone %d Applications follow: %v, %v", len(out.Outcomes), out.Failures, err)
	}
}

// TestOutline says of clusters what the whole says.
func TestOutline(t *testing.T) {
	f := supposed(t)
	f.Sets[0].Expansion.Reads.Keys = []string{"metadata.annotations.region"}
	whole := Overview(f.Clusters, f.Sets, nil)
	app := f.Sets[0].Expansion.Applications[0].DeepCopy()
	f.Sets = append(f.Sets, Set{ApplicationSet: f.Sets[0].ApplicationSet, Err: errors.New("nothing is known")})
	for i := range f.Sets {
		f.Sets[i].Outline()
	}
	if diff := cmp.Diff(whole, Overview(f.Clusters, f.Sets, nil)); diff != "" {
		t.Error(diff)
	}
	if kept := f.Sets[0].Expansion.Applications[0]; kept.Name != app.Name || kept.Spec.Source != nil {
		t.Errorf("of an Application is kept %+v", kept)
	}
}
