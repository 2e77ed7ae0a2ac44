package generate

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// told are the clusters of an origin, as a person writes them.
func (o *Origin) told() string {
	var names []string
	for _, c := range o.Clusters() {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	switch {
	case o == nil:
		return "none"
	case len(names) == 0:
		return "any"
	}
	return strings.Join(names, " ")
}

// Generators of clusters, and a list and a file that call themselves one of them.
const (
	ofDev     = "{clusters: {selector: {matchLabels: {env: dev}}}}"
	ofProd    = "{clusters: {selector: {matchLabels: {env: prod}}}}"
	ofAll     = "{clusters: {selector: {matchExpressions: [{key: env, operator: Exists}]}}}"
	ofFlat    = "{clusters: {flatList: true, selector: {matchExpressions: [{key: env, operator: Exists}]}}}"
	ofList    = "{list: {elements: [{name: prod, server: 'https://prod.example.com', app: a}]}}"
	ofFile    = "{git: {repoURL: 'https://git.example.com/team', revision: main, files: [{path: app.yaml}]}}"
	ofServers = "{list: {elements: [{server: 'https://prod.example.com', app: a}, {server: 'https://none.example.com', app: b}]}}"
)

func matrixOf(a, b string) string { return "{matrix: {generators: [" + a + ", " + b + "]}}" }

func mergeOf(key string, all ...string) string {
	return "{merge: {mergeKeys: [" + key + "], generators: [" + strings.Join(all, ", ") + "]}}"
}

// TestOrigins: whose parameters a set has is known by the generators that gave them, and
// not by what is in it: a file or a list may say the name and the server of any cluster.
func TestOrigins(t *testing.T) {
	cases := map[string]struct {
		reason, generator string
		// goMode and fastMode have the name and the clusters of each set.
		goMode, fastMode []string
	}{
		"Clusters": {"each of its own", ofAll, []string{"Dev_EU: Dev_EU", "prod: prod"}, []string{"Dev_EU: Dev_EU", "prod: prod"}},
		"Flat":     {"a list is of all", ofFlat, []string{": any"}, []string{": any"}},
		"List":     {"what names a cluster has nothing of it", ofList, []string{"prod: none"}, []string{"prod: none"}},
		"File":     {"also in a file", ofFile, []string{"prod: none"}, []string{"prod: none"}},

		"FileFirst":  {"nor does it hide whose labels there are beside it", matrixOf(ofFile, ofAll), []string{"prod: Dev_EU", "prod: prod"}, nil},
		"FileSecond": {"in either order", matrixOf(ofAll, ofFile), []string{"Dev_EU: Dev_EU", "prod: prod"}, nil},
		"Two":        {"two clusters are two", matrixOf(ofProd, ofDev), []string{"prod: Dev_EU prod"}, nil},
		"Same":       {"and one twice is one", matrixOf(ofProd, ofProd), []string{"prod: prod"}, []string{"prod: prod"}},
		"FlatAndOne": {"one beside all is all", matrixOf(ofFlat, ofProd), []string{"prod: any"}, []string{"prod: any"}},
		"OneAndFlat": {"in either order", matrixOf(ofProd, ofFlat), []string{"prod: any"}, []string{"prod: any"}},
		"Nested":     {"generators within others", matrixOf(matrixOf(ofList, ofDev), matrixOf(ofProd, ofList)), []string{"prod: Dev_EU prod"}, nil},
		"Rendered":   {"a generator that is rendered with one", matrixOf(ofDev, "{list: {elements: [{app: '{{metadata.labels.env}}'}]}}"), []string{"Dev_EU: Dev_EU"}, []string{"Dev_EU: Dev_EU"}},
		"Selected":   {"a selector takes none away", "{matrix: {generators: [" + ofProd + ", " + ofDev + "]}, selector: {matchLabels: {name: prod}}}", []string{"prod: Dev_EU prod"}, nil},

		"Laid":    {"what is laid over another has both", mergeOf("none", ofDev, ofProd), []string{"prod: Dev_EU prod"}, []string{"prod: Dev_EU prod"}},
		"Renamed": {"also where it calls itself another one", mergeOf("none", ofDev, ofList), []string{"prod: Dev_EU"}, []string{"prod: Dev_EU"}},
		"Partner": {"what has no partner has nothing of one", mergeOf("server", ofServers, ofAll), []string{": none", "prod: prod"}, []string{": none", "prod: prod"}},
		"Within":  {"merges within a matrix", matrixOf(mergeOf("none", ofDev, ofProd), ofList), []string{"prod: Dev_EU prod"}, []string{"prod: Dev_EU prod"}},
	}
	repos := fakeRepos{"https://git.example.com/team": dirTree{fstest.MapFS{"app.yaml": {Data: []byte("name: prod\nserver: https://prod.example.com")}}}}
	for name, tc := range cases {
		for mode, want := range map[string][]string{"go": tc.goMode, "fast": tc.fastMode} {
			if want == nil {
				continue // parameters with two values are an error there
			}
			t.Run(name+" "+mode, func(t *testing.T) {
				spec := inMode(replaced(fast("generators: ["+tc.generator+"]"), "{{app}}", "same", "{{v}}", "v"), mode)
				e, err := New(testFleet(), repos, anyProject{}, WithParameters()).Applications(t.Context(), specSet(t, spec))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for i, p := range allOf(e) {
					name, _ := p["name"].(string)
					got = append(got, name+": "+originsOf(e)[i].told())
				}
				slices.Sort(got)
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", tc.reason, d)
				}
			})
		}
	}
}

func allOf(e *Expansion) []Params {
	out := slices.Clone(e.Params)
	for _, r := range e.Rejected {
		out = append(out, r.Params...)
	}
	return out
}

func originsOf(e *Expansion) []*Origin {
	out := slices.Clone(e.Of)
	for _, r := range e.Rejected {
		out = append(out, r.Of...)
	}
	return out
}

// TestOriginsOfDecisions are the clusters that they name, whatever else the items say.
func TestOriginsOfDecisions(t *testing.T) {
	settings := fakeSettings{"duck": {"apiVersion": "mallard.io/v1beta1", "kind": "ducks", "statusListKey": "decisions", "matchKey": "clusterName"}}
	spec := goMode("generators: [{clusterDecisionResource: {configMapRef: duck, name: quak}}]")
	e, err := New(testFleet(), nil, anyProject{}, WithSettings(settings), WithResources(ducks(t)), WithParameters()).
		Applications(t.Context(), specSet(t, replaced(spec, "{{.app}}", "{{.name}}", "{{.v}}", "v")))
	if err != nil || len(e.Of) != 2 || e.Of[0].told() != gitops.HubName || e.Of[1].told() != "prod" {
		t.Errorf("they are of %v, %v", e, err)
	}
}

// TestUnited: what is of more clusters than are told apart may be of any, and never
// becomes of fewer again.
func TestUnited(t *testing.T) {
	var of *Origin
	var all []*Origin
	for i := range mostOrigins + 1 {
		one := OriginOf(&gitops.Cluster{Name: strconv.Itoa(i)})
		all = append(all, one)
		both, made := united(of, one)
		if again, more := united(one, both); again != both || more != 0 {
			t.Errorf("of what it has already %d bytes are made", more)
		}
		if (i > 0 && i < mostOrigins) != (made > 0) {
			t.Errorf("%d clusters take %d bytes more", i+1, made)
		}
		of = both
	}
	if of.told() != "any" || of.One() != nil {
		t.Errorf("%d clusters are %s", mostOrigins+1, of.told())
	}
	for _, one := range append(all, nil, anyCluster) {
		for _, both := range [][2]*Origin{{of, one}, {one, of}} {
			if got, _ := united(both[0], both[1]); got.told() != "any" {
				t.Errorf("any and %s are %s", one.told(), got.told())
			}
		}
	}
}

// TestWhomErrorsAreOf: an error is told to who may read the cluster whose parameters it
// may quote, and not the one that these call themselves.
func TestWhomErrorsAreOf(t *testing.T) {
	const fails = "{{ if .name }}{{ fail .metadata.labels.env }}{{ end }}"
	const values = "values: {x: '{{ fail .metadata.annotations.owner }}'}"
	const twice = "{clusters: {values: {x: same}, selector: {matchExpressions: [{key: env, operator: Exists}]}}}"
	text := func(generator string) string { return replaced(fast(generator), "{{app}}", "same", "{{v}}", "v") }
	cases := map[string]struct {
		reason, spec string
		clusters     []string
	}{
		"Template": {"a template", goMode("generators: [" + ofProd + "]"), []string{"prod"}},
		"Named":    {"of which a list says that it is another's", goMode("generators: [" + matrixOf(ofList, ofDev) + "]"), []string{"Dev_EU"}},
		"Laid":     {"also in a merge", goMode("generators: [" + mergeOf("none", ofDev, ofList) + "]"), []string{"Dev_EU"}},
		"Two":      {"that of two is of the fleet", goMode("generators: [" + matrixOf(ofProd, ofDev) + "]"), nil},
		"Flat":     {"as that of all is", goMode("generators: [" + matrixOf(ofList, ofFlat) + "]"), nil},

		"Values": {"values of one", goMode("generators: [" + matrixOf(ofList, "{clusters: {"+values+", selector: {matchLabels: {env: dev}}}}") + "]"), []string{"Dev_EU"}},
		"Beside": {"beside another", goMode("generators: [" + matrixOf(ofProd, "{clusters: {"+values+", selector: {matchLabels: {env: dev}}}}") + "]"), nil},
		"Joined": {"two values of two", text("generators: [" + matrixOf(ofProd, ofDev) + "]"), nil},
		"Within": {"within what is rendered with one", text("generators: [" + matrixOf(ofDev, matrixOf("{clusters: {values: {of: '{{name}}'}, selector: {matchLabels: {env: prod}}}}", ofDev)) + "]"), nil},
		"Keys":   {"merge keys of two", text("generators: [" + mergeOf("values.x", twice, twice) + "]"), nil},
		"Their":  {"within what is rendered with one of them", text("generators: [" + matrixOf(ofDev, mergeOf("values.x", strings.Replace(twice, "x: same", "x: '{{name}}'", 1), twice)) + "]"), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, err := testGenerator().Applications(t.Context(), specSet(t, replaced(tc.spec, "{{.app}}", fails)))
			i := slices.IndexFunc(e.Warnings, func(w gitops.Warning) bool { return w.Reason == "UnusableParameters" })
			if err == nil || i < 0 {
				t.Fatalf("%s: nobody is told of %v", tc.reason, err)
			}
			if w := e.Warnings[i]; !slices.Equal(w.Clusters, tc.clusters) || w.Fleet != (tc.clusters == nil) {
				t.Errorf("%s: %v is told to who may read %v, of the fleet: %t", tc.reason, w.Message, w.Clusters, w.Fleet)
			}
		})
	}
}

// TestWhoLacksAParameter is the cluster that gave the set, and not the one that this
// calls itself.
func TestWhoLacksAParameter(t *testing.T) {
	spec := replaced(goMode("generators: ["+matrixOf(ofList, ofAll)+"]"), "{{.app}}", "{{.nameNormalized}}", "{{.v}}", "{{.metadata.annotations.owner}}")
	e, err := testGenerator().Applications(t.Context(), specSet(t, spec))
	if err != nil || len(e.Warnings) != 1 || !slices.Equal(e.Warnings[0].Clusters, []string{"prod"}) {
		t.Errorf("it is %+v, %v", e.Warnings, err)
	}
	spec = replaced(goMode("generators: ["+matrixOf(ofProd, ofDev)+"]"), "{{.app}}", "both", "{{.v}}", "{{.metadata.labels.none}}")
	e, err = testGenerator().Applications(t.Context(), specSet(t, spec))
	if err != nil || len(e.Warnings) != 1 || e.Warnings[0].Clusters != nil || !slices.Equal(e.Warnings[0].Applications, []string{"both"}) {
		t.Errorf("of two it is %+v, %v", e.Warnings, err)
	}
}

// TestTemplatesChangeTheirOwnParameters: what one takes of a cluster into a map of another
// generator is not in what that made with other clusters.
func TestTemplatesChangeTheirOwnParameters(t *testing.T) {
	const list = "{list: {elements: [{nested: {deep: {a: b}}}]}}"
	const puts = `{{ set .nested.deep "env" .metadata.labels.env | len }}`
	spec := replaced(goMode("generators: ["+matrixOf(list, ofAll)+"]"), "{{.app}}", "{{.nameNormalized}}", "{{.v}}", puts)
	e, err := New(testFleet(), nil, anyProject{}, WithParameters()).Applications(t.Context(), specSet(t, spec))
	if err != nil || len(e.Params) != 2 {
		t.Fatal(e, err)
	}
	for i, p := range e.Params {
		if env, _ := p.leaf("nested.deep.env"); env != e.Of[i].One().Labels["env"] {
			t.Errorf("%s has the label of another cluster, %s", e.Of[i].told(), env)
		}
	}
}
