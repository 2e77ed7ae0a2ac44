package kustomize

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// elsewhereTrees are repositories by address and ref, "address ref".
type elsewhereTrees map[string]treetest.Files

func (e elsewhereTrees) Tree(ctx context.Context, ref gitops.SourceRef) (*record.Tree, error) {
	files, ok := e[strings.TrimSpace(ref.RepoURL+" "+ref.Revision)]
	if !ok {
		return nil, gitops.Problemf(gitops.NotFound, "cannot find repository %s at %q", ref.RepoURL, ref.Revision)
	}
	snapshot := treetest.Snapshot(ref.RepoURL, "rev-"+ref.Revision, files)
	return record.Wrap(ctx, snapshot, record.Limits{}), nil
}

// webFiles are files by address.
type webFiles map[string]string

func (w webFiles) File(_ context.Context, address string, rule source.Rule) ([]byte, error) {
	u, err := url.Parse(address)
	if err == nil {
		_, err = rule.Check(u)
	}
	text, ok := w[address]
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return []byte(text), err
}

// setup is what a build is made of; its source is the folder app.
type setup struct {
	files   treetest.Files
	remotes elsewhereTrees
	web     webFiles
	flags   string
	schemes []string
	spec    *v1alpha1.ApplicationSourceKustomize
	charts  Inflater
	output  int64 // no bound when 0
	bytes   int64 // no bound when 0
}

func (s setup) source(t testing.TB) *source.Source {
	var limits record.Limits
	if s.bytes > 0 {
		limits.Bytes = bounded.NewBytes(s.bytes)
	}
	out := &source.Source{
		Name: "web", Path: "app", Env: environ.Env{}, Facts: record.WrapFacts(gitops.Facts{KubeVersion: "1.33.0", APIVersions: []string{"v1"}}),
		Tree:     record.Wrap(t.Context(), treetest.Snapshot("https://git.example/home", "home", s.files), limits),
		Settings: source.Settings{BuildOptions: s.flags, ValueSchemes: s.schemes},
	}
	out.Spec.Kustomize = s.spec
	if s.output > 0 {
		out.Output = bounded.NewBytes(s.output)
	}
	if s.remotes != nil {
		out.Remote = s.remotes
	}
	return out
}

func (s setup) render(t testing.TB) ([]gitops.Manifest, *source.Source, error) {
	t.Helper()
	return s.renderWithin(t.Context(), t)
}

func (s setup) renderWithin(ctx context.Context, t testing.TB) ([]gitops.Manifest, *source.Source, error) {
	t.Helper()
	options := Options{Charts: s.charts}
	if s.web != nil {
		options.Web = s.web
	}
	src := s.source(t)
	out, err := New(options).Render(ctx, src)
	return out, src, err
}

// named are the objects as "kind/namespace/name repo@revision file:line".
func named(manifests []gitops.Manifest) []string {
	var out []string
	for _, m := range manifests {
		key := m.Key()
		repo := strings.TrimPrefix(m.Origin.RepoURL, "https://git.example/")
		line := strings.TrimSpace(key.Kind + " " + strings.TrimPrefix(key.Namespace+"/"+key.Name, "/") + " " + repo + "@" + m.Origin.Revision + " " + m.Origin.String())
		if x := m.Object.GetLabels()["x"]; x != "" {
			line += " x=" + x
		}
		out = append(out, line)
	}
	return out
}

const (
	// far lists what the library would fetch by itself.
	far       = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: x}\nresources: ['https://git.invalid/o/r//x?ref=v1']\n"
	configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "
	service   = "apiVersion: v1\nkind: Service\nmetadata:\n  name: "
)

func TestRender(t *testing.T) {
	cases := map[string]struct {
		reason string
		setup  setup
		want   []string
		fails  string // part of the error
	}{
		"Lines": {"each document of a file has its line, in whatever order, and generators theirs",
			setup{files: treetest.Files{
				"app/kustomization.yaml": "namePrefix: p-\nresources: [../base, list.yaml]\nconfigMapGenerator:\n- literals: [a=b]\n  name: made\n  options: {disableNameSuffixHash: true}\n",
				"app/list.yaml":          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: listed\n",
				"base/kustomization.yml": "resources: [a.yaml]\n",
				"base/a.yaml":            "# first\n" + configMap + "a\n  labels: {name: b}\n---\n" + configMap + "b\n---\n" + service + "a\n",
			}},
			[]string{"ConfigMap p-a home@home base/a.yaml:2", "ConfigMap p-b home@home base/a.yaml:8", "ConfigMap p-made home@home app/kustomization.yaml:5", "Secret p-listed home@home app/list.yaml:7", "Service p-a home@home base/a.yaml:13"}, ""},
		"Remote": {"a base from elsewhere, its neighbour by ../ and one that it refers to by address; origins name the repository",
			setup{
				files: treetest.Files{"app/kustomization.yaml": "namePrefix: p-\nresources: ['https://git.example/org/repo//overlay?ref=v1']\n"},
				remotes: elsewhereTrees{
					"https://git.example/org/repo v1":   {"overlay/kustomization.yaml": "resources:\n- ../base\n- git@git.example:org/other.git//x\n- https://git.example/org/repo//more?ref=v1\n", "base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": configMap + "a\n", "more/kustomization.yaml": "resources: [m.yaml]\n", "more/m.yaml": configMap + "m\n"},
					"git@git.example:org/other.git":     {"x/kustomization.yaml": "resources: [b.yaml]\n", "x/b.yaml": configMap + "b\n"},
					"https://git.example/org/unrelated": {},
				},
			},
			[]string{"ConfigMap p-a org/repo@rev-v1 base/a.yaml:1", "ConfigMap p-b git@git.example:org/other.git@rev- x/b.yaml:1", "ConfigMap p-m org/repo@rev-v1 more/m.yaml:1"}, ""},
		"RemoteRoot": {"a folder may use the root of its own repository by its address, as a clone of its own",
			setup{
				files:   treetest.Files{"app/kustomization.yaml": "resources: ['github.com/org/repo/sub?ref=v1']\n"},
				remotes: elsewhereTrees{"https://github.com/org/repo v1": {"sub/kustomization.yaml": "resources: ['https://github.com/org/repo?ref=v1']\nnamePrefix: s-\n", "kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": configMap + "a\n"}},
			},
			[]string{"ConfigMap s-a https://github.com/org/repo@rev-v1 a.yaml:1"}, ""},
		"RemoteComponent": {"components from elsewhere",
			setup{
				files:   treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\ncomponents: ['https://git.example/org/repo//c']\n", "app/a.yaml": configMap + "a\n"},
				remotes: elsewhereTrees{"https://git.example/org/repo": {"c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -c\n"}},
			},
			[]string{"ConfigMap a-c home@home app/a.yaml:1"}, ""},
		"RawFile": {"files that a Git host serves are read from the repository, patches too",
			setup{
				files:   treetest.Files{"app/kustomization.yaml": "resources: ['https://raw.githubusercontent.com/org/repo/v1/d/a.yaml']\npatches: [{path: 'https://github.com/org/repo/raw/v1/p.yaml'}]\n"},
				remotes: elsewhereTrees{"https://github.com/org/repo v1": {"d/a.yaml": "---\n" + configMap + "a\n---\n" + configMap + "b\n", "p.yaml": configMap + "a\n$patch: delete\n"}},
			},
			[]string{"ConfigMap b https://github.com/org/repo@rev-v1 d/a.yaml:7"}, ""},
		"WebFile": {"other files by HTTP, also those of generators, whose key is the file's name",
			setup{
				files: treetest.Files{"app/kustomization.yaml": "resources: ['https://github.com/org/repo/releases/download/v1/all.yaml']\nconfigMapGenerator:\n- {name: c, files: ['https://web.example/x.conf', 'k=https://web.example/x.conf'], options: {disableNameSuffixHash: true}}\n"},
				web:   webFiles{"https://github.com/org/repo/releases/download/v1/all.yaml": configMap + "a\n", "https://web.example/x.conf": "text"},
			},
			[]string{"ConfigMap a https://github.com/org/repo/releases/download/v1/all.yaml@", "ConfigMap c home@home app/kustomization.yaml:3"}, ""},
		"WebFallback": {"an address that may be either is a file when there is no such repository",
			setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['https://web.example/get/manifests']\n"}, remotes: elsewhereTrees{}, web: webFiles{"https://web.example/get/manifests": configMap + "a\n"}},
			[]string{"ConfigMap a https://web.example/get/manifests@"}, ""},
		"Anywhere": {"files outside the folder where the installation allows it",
			setup{files: treetest.Files{"app/kustomization.yaml": "resources: [../other/a.yaml]\n", "other/a.yaml": configMap + "a\n"}, flags: "--load-restrictor=LoadRestrictionsNone"},
			[]string{"ConfigMap a home@home other/a.yaml:1"}, ""},
		"Plugins": {"configurations of plugins name files as the kustomization does, in place, in files and in folders",
			setup{
				files: treetest.Files{
					"app/kustomization.yaml":     "resources: [a.yaml]\ntransformers:\n- t.yaml\n- dir\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: three}\n  path: https://web.example/three.yaml\n",
					"app/a.yaml":                 strings.Join([]string{configMap + "a\n", configMap + "b\n", configMap + "c\n", configMap + "d\n"}, "---\n"),
					"app/t.yaml":                 "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: one}\npath: https://web.example/one.yaml\n",
					"app/dir/kustomization.yaml": "resources: [p.yaml]\npatches:\n- target: {kind: Anything}\n  patch: |-\n    - {op: replace, path: /apiVersion, value: builtin}\n    - {op: replace, path: /kind, value: PatchTransformer}\n    - {op: add, path: /path, value: 'https://web.example/two.yaml'}\n",
					"app/dir/p.yaml":             "apiVersion: x/v1\nkind: Anything\nmetadata: {name: two}\n",
				},
				web: webFiles{
					"https://web.example/one.yaml": configMap + "a\n  labels: {x: one}\n", "https://web.example/two.yaml": configMap + "b\n  labels: {x: two}\n",
					"https://web.example/three.yaml": configMap + "c\n  labels: {x: three}\n",
				},
			},
			[]string{"ConfigMap a home@home app/a.yaml:1 x=one", "ConfigMap b home@home app/a.yaml:6 x=two", "ConfigMap c home@home app/a.yaml:11 x=three", "ConfigMap d home@home app/a.yaml:16"}, ""},
		"Replaced": {"a folder of plugins may make them of one another",
			setup{files: treetest.Files{
				"app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [dir]\n", "app/a.yaml": configMap + "a\n",
				"app/dir/kustomization.yaml": "resources: [p.yaml]\nreplacements:\n- source: {kind: LabelTransformer, name: two, fieldPath: metadata.name}\n  targets: [{select: {kind: LabelTransformer}, fieldPaths: [labels.x], options: {create: true}}]\n",
				"app/dir/p.yaml":             "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: two}\nfieldSpecs: [{path: metadata/labels, create: true}]\n",
			}},
			[]string{"ConfigMap a home@home app/a.yaml:1 x=two"}, ""},
		"FieldCase":  {"fields are known in any case, and so is what they fetch", setup{files: treetest.Files{"app/kustomization.yaml": "Resources: ['https://git.example/org/repo//x']\n"}}, nil, "nothing is read from elsewhere here"},
		"FileNamed":  {"a file with the name of a kustomization may be another object", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [flux/kustomization.yaml]\n", "app/flux/kustomization.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: f}\nspec: {path: x}\n"}}, []string{"Kustomization f home@home app/flux/kustomization.yaml:1"}, ""},
		"Ambiguous":  {"nor can it be a base as well: what it lists would not be looked at", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [b/kustomization.yaml, b]\n", "app/b/kustomization.yaml": far}}, nil, "cannot build kustomization.yaml: it is listed as a file, and its folder is a base, too (https://git.example/home at home app/b/kustomization.yaml)"},
		"Before":     {"whichever is read first", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [b, b/kustomization.yaml]\n", "app/b/kustomization.yaml": "metadata: {name: x}\n"}}, nil, "it is listed as a file"},
		"Placed":     {"a file from elsewhere beside those of the repository", setup{web: webFiles{"https://web.example/kustomization.yaml": far}, files: treetest.Files{"app/kustomization.yaml": "resources: ['https://web.example/kustomization.yaml', .causeway-0]\n", "app/.causeway-0/a": ""}}, nil, "it is listed as a file"},
		"Circle":     {"bases that use each other", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [../a]\n", "a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n"}}, nil, "bases use each other in a circle: a → b → a (https://git.example/home at home b/kustomization.yaml:1)"},
		"CircleFar":  {"bases elsewhere, too", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['https://git.example/o/a//x']\n"}, remotes: elsewhereTrees{"https://git.example/o/a": {"x/kustomization.yaml": "resources: ['https://git.example/o/b//y']\n"}, "https://git.example/o/b": {"y/kustomization.yaml": "resources: ['https://git.example/o/a//x']\n"}}}, nil, "in a circle: https://git.example/o/a//x → https://git.example/o/b//y → https://git.example/o/a//x"},
		"Above":      {"a base above its user", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [..]\n", "kustomization.yaml": "resources: []\n"}}, nil, ". is a folder above app"},
		"Outside":    {"a file beside the folder is refused by default", setup{files: treetest.Files{"app/kustomization.yaml": "resources:\n- ../a.yaml\n", "a.yaml": configMap + "a\n"}}, nil, "a.yaml is outside the folder of the kustomization (https://git.example/home at home app/kustomization.yaml:2); move it into the folder"},
		"Leaves":     {"a base elsewhere cannot leave its repository", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['https://git.example/o/a//x']\n"}, remotes: elsewhereTrees{"https://git.example/o/a": {"x/kustomization.yaml": "resources: [../../tree-0/app]\n"}}}, nil, "../../tree-0/app is outside the repository (https://git.example/o/a at rev- x/kustomization.yaml:1)"},
		"LeavesFile": {"nor read files outside its folder, whatever is allowed at home", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['https://git.example/o/a//x']\n"}, remotes: elsewhereTrees{"https://git.example/o/a": {"x/kustomization.yaml": "resources: [../y.yaml]\n", "y.yaml": configMap + "a\n"}}, flags: "--load-restrictor LoadRestrictionsNone"}, nil, "refused in bases from elsewhere"},
		"NotThere":   {"a path that the repository lacks", setup{files: treetest.Files{"app/kustomization.yaml": "resources:\n- https://git.example/o/a//nope?ref=v1\n"}, remotes: elsewhereTrees{"https://git.example/o/a v1": {}}}, nil, "cannot find folder nope (https://git.example/home at home app/kustomization.yaml:2)"},
		"IsFile":     {"a repository's file by a folder's address", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['https://git.example/o/a//x.yaml?ref=v1']\n"}, remotes: elsewhereTrees{"https://git.example/o/a v1": {"x.yaml": ""}}}, nil, "is a file, and a folder is needed"},
		"FileScheme": {"local repositories are not read", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['file:///etc']\n"}, remotes: elsewhereTrees{}}, nil, "is an address that is not read"},
		"WebRule":    {"a scheme that the installation does not allow", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['http://web.example/a.yaml']\n"}, web: webFiles{"http://web.example/a.yaml": configMap + "a\n"}, schemes: []string{"https"}}, nil, "scheme http is not allowed"},
		"WebGone":    {"a file that is not there", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['http://web.example/a.yaml']\n"}, web: webFiles{}}, nil, "cannot find http://web.example/a.yaml"},
		"Secret":     {"what is written of credentials is not told", setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['https://me:token@git.example/o/a//x']\n"}}, nil, "cannot read https://git.example/o/a//x"},
		"Unknown":    {"a field that is none", setup{files: treetest.Files{"app/kustomization.yaml": "resources: []\nresource: []\n"}}, nil, `unknown field "resource" (https://git.example/home at home app/kustomization.yaml:2)`},
		"Twice":      {"an object twice", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml, b.yaml]\n", "app/a.yaml": configMap + "a\n", "app/b.yaml": configMap + "a\n"}}, nil, "is listed twice"},
		"Large":      {"the configuration of a plugin that becomes too much", setup{files: treetest.Files{"app/kustomization.yaml": "generators: [g.yaml]\n", "app/g.yaml": "kind: A\nx: [" + strings.Repeat("1,", bounded.MostValues) + "1]\n"}}, nil, "more than 400000 values"},
		"Nested":     {"a folder of plugins that brings a schema, which is one for all that is built", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [dir]\n", "app/a.yaml": configMap + "a\n", "app/dir/kustomization.yaml": "resources: [b.yaml]\nopenapi: {path: s.json}\n", "app/dir/b.yaml": configMap + "b\n", "app/dir/s.json": `{"definitions": {}}`}}, nil, "it brings its own schema, in a folder of generators, transformers or validators (https://git.example/home at home app/dir/kustomization.yaml:2)"},
		"External":   {"a plugin that is a program", setup{files: treetest.Files{"app/kustomization.yaml": "generators: [g.yaml]\n", "app/g.yaml": "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: g}\nfiles: []\n"}, flags: "--enable-alpha-plugins --enable-exec"}, nil, "is a plugin that runs a program"},
		"Patch":      {"a patch that is not there", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\npatches:\n- path: p.yaml\n", "app/a.yaml": configMap + "a\n"}}, nil, "app/kustomization.yaml:3"},
		"Binary":     {"a resource that is no text", setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": "\x00\xff\xfe"}}, nil, "a.yaml"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _, err := tc.setup.render(t)
			if tc.fails != "" {
				var p *gitops.Problem
				if !errors.As(err, &p) || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("%s: got %v, want a Problem with %q", tc.reason, err, tc.fails)
				}
				if strings.Contains(err.Error(), mountName) && !strings.Contains(tc.fails, mountName) || strings.Contains(err.Error(), placedFolder) || strings.Contains(err.Error(), "token") {
					t.Errorf("the text tells what no user knows: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, named(got)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOriginAnnotations tells that our own marks leave no trace, and that
// those that a user asks for say what Kustomize says.
func TestOriginAnnotations(t *testing.T) {
	s := setup{
		files: treetest.Files{
			"app/kustomization.yaml": "resources: [a.yaml, ../base, 'https://git.example/org/repo//x?ref=v1']\nconfigMapGenerator: [{name: g, options: {disableNameSuffixHash: true}}]\n",
			"app/a.yaml":             configMap + "a\n", "base/kustomization.yaml": "resources: [b.yaml]\n", "base/b.yaml": configMap + "b\n",
		},
		remotes: elsewhereTrees{"https://git.example/org/repo v1": {"x/kustomization.yaml": "resources: [../y]\n", "y/kustomization.yaml": "resources: [c.yaml]\nnamePrefix: y-\n", "y/c.yaml": configMap + "c\n"}},
	}
	plain, _, err := s.render(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range plain {
		if m.Object.GetAnnotations() != nil {
			t.Errorf("%s has annotations that nobody wrote: %v", m.Key(), m.Object.GetAnnotations())
		}
	}
	s.files["app/kustomization.yaml"] += "buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\n"
	asked, _, err := s.render(t)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, m := range asked {
		var o, tr any
		_ = yaml.Unmarshal([]byte(m.Object.GetAnnotations()[originAnnotation]), &o)
		_ = yaml.Unmarshal([]byte(m.Object.GetAnnotations()[transformationAnnotation]), &tr)
		got[m.Object.GetName()] = []any{o, tr, m.Object.GetLabels()[managedByLabel]}
	}
	y := "kustomize-" + bundled
	want := map[string]any{
		"a": []any{map[string]any{"path": "a.yaml"}, nil, y},
		"b": []any{map[string]any{"path": "../base/b.yaml"}, nil, y},
		"y-c": []any{
			map[string]any{"path": "y/c.yaml", "repo": "https://git.example/org/repo", "ref": "v1"},
			[]any{map[string]any{"configuredIn": "y/kustomization.yaml", "repo": "https://git.example/org/repo", "ref": "v1", "configuredBy": map[string]any{"apiVersion": "builtin", "kind": "PrefixTransformer"}}}, y,
		},
		"g": []any{map[string]any{"configuredIn": "kustomization.yaml", "configuredBy": map[string]any{"apiVersion": "builtin", "kind": "ConfigMapGenerator"}}, nil, y},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestExplosion tells that bases that list one another twice end.
func TestExplosion(t *testing.T) {
	files := treetest.Files{"app/kustomization.yaml": "resources: [../b00]\n"}
	for i := range 40 {
		next := "../b" + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		name := "b" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		files[name+"/kustomization.yaml"] = "resources: [l, r]\n"
		files[name+"/l/kustomization.yaml"] = "namePrefix: l\nresources: [../" + next + "]\n"
		files[name+"/r/kustomization.yaml"] = "namePrefix: r\nresources: [../" + next + "]\n"
	}
	files["b40/kustomization.yaml"] = "resources: [a.yaml]\n"
	files["b40/a.yaml"] = configMap + "a\n"
	_, _, err := setup{files: files}.render(t)
	if err == nil || !strings.Contains(err.Error(), "more than 2000 kustomizations") {
		t.Errorf("got %v", err)
	}
}

// denied are the repositories of a project that denies them all.
type denied struct{}

func (denied) Tree(_ context.Context, ref gitops.SourceRef) (*record.Tree, error) {
	return nil, gitops.Problemf(gitops.Forbidden, "cannot use repository %s: the project denies it", ref.RepoURL)
}

// TestDeniedRepositoryIsNotReadByTheWeb has a host serve the files of repositories that the project denies.
func TestDeniedRepositoryIsNotReadByTheWeb(t *testing.T) {
	for _, entry := range []string{
		"https://raw.githubusercontent.com/org/denied/main/a.yaml",
		"https://github.com/org/denied/raw/main/a.yaml",
		"https://gitlab.com/org/denied/-/raw/main/a.yaml",
		"https://git.example.com/org/denied/manifest",
	} {
		s := setup{files: treetest.Files{"app/kustomization.yaml": "resources: ['" + entry + "']\n"}, web: webFiles{entry: configMap + "taken\n"}}
		src := s.source(t)
		src.Remote = denied{}
		out, err := New(Options{Web: s.web}).Render(t.Context(), src)
		if err == nil || !strings.Contains(err.Error(), "denies") {
			t.Errorf("%s: %v %v, want the project's refusal", entry, out, err)
		}
	}
}
