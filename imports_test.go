package causeway_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/causeway-gitops/causeway"

// pkg is what `go list` tells of a package.
type pkg struct {
	ImportPath string   `json:"ImportPath"`
	Doc        string   `json:"Doc"`
	Imports    []string `json:"Imports"`
	Deps       []string `json:"Deps"`
	GoFiles    []string `json:"GoFiles"`
}

// rule forbids imports. Paths are relative to the module unless they hold a
// dot in their first element.
type rule struct {
	reason string
	// from are the packages that the rule is about: each with everything below it.
	from []string
	// except are packages below from that the rule is not about.
	except []string
	// never are the packages that must not be reached: each with everything below it.
	never []string
	// allow are packages below never that may be reached all the same.
	allow []string
	// deep forbids reaching them through other packages, too.
	deep bool
}

var kubernetesClients = []string{"k8s.io/client-go/kubernetes", "k8s.io/client-go/dynamic", "k8s.io/client-go/rest", "sigs.k8s.io/controller-runtime"}

var stages = []string{"source", "generate", "render", "plan", "apply", "observe", "report"}

func rules() []rule {
	all := []rule{
		{
			reason: "the vocabulary is what everything else speaks",
			from:   []string{"internal/gitops"}, never: []string{"internal"}, deep: true,
		},
		{
			reason: "they work on values, so that preview runs the same code offline",
			from:   []string{"internal/source", "internal/generate", "internal/policy"}, never: kubernetesClients, deep: true,
		},
		{
			// The Go types and the schemas of the built-in kinds come with
			// client-go, whose packages know a client that is never made.
			reason: "they work on values, so that offline commands run the same code",
			from:   []string{"internal/plan", "internal/difference"}, never: kubernetesClients, allow: []string{"k8s.io/client-go/kubernetes/scheme", "k8s.io/client-go/rest"}, deep: true,
		},
		{
			reason: "stages share it, so it knows none of them",
			from:   []string{"internal/difference"}, never: []string{"internal"}, allow: []string{"internal/gitops", "internal/difference", "internal/confine"}, deep: true,
		},
		{
			// Helm's engine imports a client for its lookup function, which is never given one.
			reason: "they work on values, so that preview runs the same code offline",
			from:   []string{"internal/render"}, never: kubernetesClients,
		},
		{
			reason: "domains know the stages and not one another; what is known of clusters is known offline, too",
			from:   []string{"internal/bridge"}, never: append([]string{"internal/preview", "internal/policy", "internal/apply", "internal/observe", "internal/report", "internal/source", "internal/fleet"}, kubernetesClients...), deep: true,
		},
		{
			reason: "it judges values: who reads and scales stands above it",
			from:   []string{"internal/takeover"}, never: append([]string{"internal"}, kubernetesClients...), allow: []string{"internal/takeover", "internal/gitops"}, deep: true,
		},
		{
			reason: "it makes values and files: who writes them to a cluster stands above it",
			from:   []string{"internal/bootstrap"}, never: append([]string{"internal"}, kubernetesClients...),
			allow: []string{"internal/bootstrap", "internal/gitops", "internal/render", "internal/source/access", "internal/source/address", "internal/fleet/clustersecret"},
		},
		{
			reason: "only the place that wires things together knows the controllers",
			from:   []string{"internal"}, except: []string{"internal/app", "internal/controller"}, never: []string{"internal/controller"},
		},
		{
			reason: "only commands stand above the wiring",
			from:   []string{"internal"}, except: []string{"internal/cli", "internal/local"}, never: []string{"internal/app"},
		},
		{
			reason: "the server reads what others keep, and never makes a cluster or a repository wait for a page",
			from:   []string{"internal/server"}, never: []string{"internal"}, allow: []string{"internal/server", "internal/store", "internal/fleet", "internal/gitops", "internal/auth", "internal/telemetry"},
		},
	}
	all = append(all, rule{
		reason: "clients of Git hosts serve generators and commands alike, and know neither",
		from:   []string{"internal/host"}, never: []string{"internal"}, allow: []string{"internal/host", "internal/gitops"}, deep: true,
	}, rule{
		reason: "a preview composes the stages that work on values, and needs no cluster",
		from:   []string{"internal/preview"}, never: append([]string{"internal/apply", "internal/observe", "internal/report", "internal/source"}, kubernetesClients...), allow: []string{"k8s.io/client-go/kubernetes/scheme"},
	})
	all = append(all, rule{
		reason: "what syncs did is kept by one package, and what it is kept in is nobody else's matter",
		from:   []string{"internal"}, except: []string{"internal/store"}, never: []string{"modernc.org/sqlite", "github.com/jackc/pgx", "github.com/pressly/goose", "database/sql"},
	}, rule{
		reason: "the store takes and gives values: whoever writes or reads it does not come with it",
		from:   []string{"internal/store"}, never: []string{"internal"}, allow: []string{"internal/store", "internal/gitops"}, deep: true,
	}, rule{
		reason: "rules are judged on values, and know no stage that they rule",
		from:   []string{"internal/policy"}, never: []string{"internal"}, allow: []string{"internal/policy", "internal/gitops", "internal/source/address"}, deep: true,
	}, rule{
		reason: "scripts of strangers run in the sandbox alone",
		from:   []string{"internal"}, except: []string{"internal/observe/sandbox"}, never: []string{"github.com/yuin/gopher-lua"},
	}, rule{
		reason: "expressions of strangers are evaluated behind their bounds alone",
		from:   []string{"internal"}, except: []string{"internal/difference/jq"}, never: []string{"github.com/itchyny/gojq"},
	}, rule{
		reason: "it bounds whatever process asks for it, and knows none",
		from:   []string{"internal/confine"}, never: []string{"internal"}, deep: true,
	})
	all = append(all, rule{
		reason: "drivers know how clusters are made, and nothing of what is deployed to them",
		from:   []string{"internal/infra"}, never: []string{"internal"}, allow: []string{"internal/infra", "internal/fleet", "internal/gitops"},
	}, rule{
		reason: "what makes clusters is behind a driver, and nobody else's matter",
		from:   []string{"internal"}, except: []string{"internal/infra/cluster/kind"}, never: []string{"sigs.k8s.io/kind"},
	})
	for _, s := range stages {
		var others []string
		for _, o := range stages {
			if o != s {
				others = append(others, "internal/"+o)
			}
		}
		all = append(all, rule{reason: "stages meet in the controllers only", from: []string{"internal/" + s}, never: others, deep: true})
	}
	return all
}

func TestImportRules(t *testing.T) {
	packages := list(t)
	for _, r := range rules() {
		for _, p := range packages {
			if !within(p.ImportPath, r.from) || within(p.ImportPath, r.except) {
				continue
			}
			reached := p.Imports
			if r.deep {
				reached = p.Deps
			}
			for _, dep := range reached {
				if within(dep, r.never) && !within(dep, r.allow) && !same(p.ImportPath, dep, r.from) {
					t.Errorf("%s imports %s: %s", p.ImportPath, dep, r.reason)
				}
			}
		}
	}
}

func TestNoReplaceInModule(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "replace") {
			t.Errorf("go.mod has %q: `go install` refuses a module with a replace", strings.TrimSpace(line))
		}
	}
}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "types", "manager"}
	for _, p := range list(t) {
		name := p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
		for _, v := range vague {
			if name == v {
				t.Errorf("%s: %q is no name for a package", p.ImportPath, name)
			}
		}
		if len(p.GoFiles) > 0 && len(p.Doc) < 40 {
			t.Errorf("%s has no package comment that says what it does", p.ImportPath)
		}
	}
}

// same tells whether both are inside the same one of the folders: a package
// may import its own sub-packages.
func same(a, b string, folders []string) bool {
	for _, f := range folders {
		if within(a, []string{f}) && within(b, []string{f}) && f != "internal" {
			return true
		}
	}
	return false
}

func within(path string, folders []string) bool {
	for _, f := range folders {
		if first, _, _ := strings.Cut(f, "/"); !strings.Contains(first, ".") {
			f = module + "/" + f
		}
		if path == f || strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}

func list(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Doc,Imports,Deps,GoFiles", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []pkg
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
