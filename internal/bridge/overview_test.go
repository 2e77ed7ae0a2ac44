package bridge

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// readingSet is a set that asks for some parameters, with an Application of each of
// some clusters, called as it is.
func readingSet(name string, reads generate.Reads, of ...*gitops.Cluster) Set {
	e := &generate.Expansion{Reads: reads}
	for _, c := range of {
		e.Applications = append(e.Applications, v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name + "-" + c.Name}})
		e.Of = append(e.Of, generate.OriginOf(c))
	}
	return Set{
		ApplicationSet: &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: name}}, Expansion: e,
		Line: func(parameter string) string { return name + ".yaml: " + parameter },
	}
}

// overviewed are two clusters: prod has more keys than dev, and both are in the fleet
// with the hub's own, which has no Secret.
func overviewed() (all []Cluster, prod, dev *gitops.Cluster) {
	prod = &gitops.Cluster{Name: "prod", Secret: "prod", Labels: map[string]string{"tier": "web", "env": "prod"}, Annotations: map[string]string{"region": "eu"}}
	dev = &gitops.Cluster{Name: "dev", Secret: "dev", Labels: map[string]string{"tiers": "web"}}
	return []Cluster{{Cluster: *prod}, {Cluster: *dev}, {Cluster: gitops.Cluster{Name: "in-cluster"}}}, prod, dev
}

// readersOf lists who reads the keys of a cluster, and who misses them.
func readersOf(r ClusterReport) (read, missing map[string][]string) {
	read, missing = map[string][]string{}, map[string][]string{}
	told := func(r Reader) string {
		out := r.Set
		if r.Selects {
			out += " selects"
		}
		if r.Loops {
			out += " loops"
		}
		return out
	}
	for _, k := range r.Keys {
		for _, reader := range k.Readers {
			read[k.String()] = append(read[k.String()], told(reader))
		}
	}
	for _, k := range r.Missing {
		name := k.String()
		if k.Nearest != "" {
			name += ", near " + k.Nearest
		}
		for _, reader := range k.Readers {
			missing[name] = append(missing[name], told(reader))
		}
	}
	return read, missing
}

func TestReadersOfKeys(t *testing.T) {
	all, prod, dev := overviewed()
	templated := readingSet("both", generate.Reads{Clusters: true, Keys: []string{"metadata.labels.tier", "metadata.labels.none"}, Chosen: []string{"metadata.labels.tier"}}, prod, dev)
	templated.Expansion.Warnings = []gitops.Warning{{Key: "metadata.labels.tier"}}
	none := map[string][]string{}
	cases := map[string]struct {
		reason           string
		set              Set
		ofProd, missProd map[string][]string
		ofDev, missDev   map[string][]string
	}{
		"Template": {
			"where the set makes an Application, it reads the key, or misses it",
			readingSet("s", generate.Reads{Clusters: true, Keys: []string{"metadata.annotations.region"}}, prod, dev),
			map[string][]string{"annotation region": {"s"}}, none, none, map[string][]string{"annotation region": {"s"}},
		},
		"NotMade": {
			"of a cluster without Applications of it the set reads nothing",
			readingSet("s", generate.Reads{Clusters: true, Keys: []string{"metadata.annotations.region"}}, dev),
			none, none, none, map[string][]string{"annotation region": {"s"}},
		},
		"Selector": {
			"labels leave clusters out: none is missed where another cluster has it",
			readingSet("s", generate.Reads{Clusters: true, Keys: []string{"metadata.labels.tier"}, Chosen: []string{"metadata.labels.tier"}}, prod),
			map[string][]string{"label tier": {"s selects"}}, none, none, none,
		},
		"Nowhere": {
			"a label that no cluster has is a mistake, and the nearest may be meant",
			readingSet("s", generate.Reads{Clusters: true, Keys: []string{"metadata.labels.tierr"}, Chosen: []string{"metadata.labels.tierr"}}),
			none, map[string][]string{"label tierr, near tier": {"s selects"}}, none, map[string][]string{"label tierr, near tiers": {"s selects"}},
		},
		"BothUses": {
			"a selector lets clusters without it in, and the template has warned that it has no value",
			templated,
			map[string][]string{"label tier": {"both selects"}}, map[string][]string{"label none": {"both"}},
			none, map[string][]string{"label tier, near tiers": {"both selects"}, "label none": {"both"}},
		},
		"Loop": {
			"a loop over all labels may read each, and misses none",
			readingSet("s", generate.Reads{Clusters: true, Keys: []string{"metadata.labels"}}, prod, dev),
			map[string][]string{"label tier": {"s loops"}, "label env": {"s loops"}}, none, map[string][]string{"label tiers": {"s loops"}}, none,
		},
		"List": {
			"who takes the list of clusters may read all of each, though it is of none",
			readingSet("s", generate.Reads{Clusters: true, Keys: []string{"clusters"}}),
			map[string][]string{"label tier": {"s loops"}, "label env": {"s loops"}, "annotation region": {"s loops"}}, none, map[string][]string{"label tiers": {"s loops"}}, none,
		},
		"NoClusters": {
			"a list generator may have parameters of the same name, and loop over them",
			readingSet("s", generate.Reads{Keys: []string{"metadata.labels"}}, prod),
			none, none, none, none,
		},
		"Broken": {
			"a set that gave nothing has read nothing that is known",
			Set{ApplicationSet: &v1alpha1.ApplicationSet{}, Err: errors.New("no")},
			none, none, none, none,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			reports := Overview(all, []Set{tc.set}, nil)
			for i, want := range [][2]map[string][]string{{tc.ofProd, tc.missProd}, {tc.ofDev, tc.missDev}} {
				read, missing := readersOf(reports[i])
				if diff := cmp.Diff(want, [2]map[string][]string{read, missing}); diff != "" {
					t.Errorf("%s: of %s (-want +got):\n%s", tc.reason, reports[i].Name, diff)
				}
			}
			if own := reports[2]; len(own.Missing) > 0 {
				t.Errorf("nobody can give the hub's own cluster a key, and it misses %v", own.Missing)
			}
		})
	}
}

func TestReadersTellWhereAndForWhat(t *testing.T) {
	all, prod, _ := overviewed()
	known := readingSet("a", generate.Reads{Clusters: true, Keys: []string{"metadata.labels.env"}}, prod, prod)
	known.Expansion.Applications[1].Name = "a-second"
	hub := readingSet("b", generate.Reads{Clusters: true, Keys: []string{"metadata.labels.env"}}, prod)
	hub.Line, hub.Spec.Template.Spec.Project = nil, "{{metadata.labels.env}}"
	report := Overview(all, []Set{known, hub}, nil)[0]
	want := []Reader{
		{Set: "a", Where: "a.yaml: metadata.labels.env", Applications: []string{"a-prod", "a-second"}},
		{Set: "b", Where: "spec.template.spec.project", Applications: []string{"b-prod"}},
	}
	if diff := cmp.Diff(want, report.Keys[0].Readers); diff != "" {
		t.Errorf("of %s (-want +got):\n%s", report.Keys[0], diff)
	}
	var unread []string
	for _, k := range report.Unread() {
		unread = append(unread, k.String())
	}
	if diff := cmp.Diff([]string{"label tier", "annotation region"}, unread); diff != "" {
		t.Errorf("what nobody reads (-want +got):\n%s", diff)
	}
	if report.Keys[0].Name != "env" || report.Keys[2].Name != "region" {
		t.Errorf("asking for those that nobody reads leaves %v", report.Keys)
	}
}
