package causeway_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/test/imports"
)

const module = "github.com/causeway-gitops/causeway"

var kubernetesClients = []string{"k8s.io/client-go/kubernetes", "k8s.io/client-go/dynamic", "k8s.io/client-go/rest", "sigs.k8s.io/controller-runtime"}

var stages = []string{"source", "generate", "render", "plan", "apply", "observe", "report"}

func rules() []imports.Rule {
	all := []imports.Rule{
		{
			Reason: "the vocabulary is what everything else speaks",
			From:   []string{"internal/gitops"}, Never: []string{"internal"}, Deep: true,
		},
		{
			Reason: "they work on values, so that preview runs the same code offline",
			From:   []string{"internal/source", "internal/generate", "internal/policy"}, Never: kubernetesClients, Deep: true,
		},
		{
			// The Go types and the schemas of the built-in kinds come with
			// client-go, whose packages know a client that is never made.
			Reason: "they work on values, so that offline commands run the same code",
			From:   []string{"internal/plan", "internal/difference"}, Never: kubernetesClients, Allow: []string{"k8s.io/client-go/kubernetes/scheme", "k8s.io/client-go/rest"}, Deep: true,
		},
		{
			Reason: "stages share it, so it knows none of them",
			From:   []string{"internal/difference"}, Never: []string{"internal"}, Allow: []string{"internal/gitops", "internal/memlimit", "internal/memory", "internal/glob", "internal/bounded", "internal/cache", "internal/slots", "internal/treediff"}, Deep: true,
		},
		{
			// Helm's engine imports a client for its lookup function, which is never given one.
			Reason: "they work on values, so that preview runs the same code offline",
			From:   []string{"internal/render"}, Never: kubernetesClients,
		},
		{
			Reason: "domains know the stages and not one another; what is known of clusters is known offline, too",
			From:   []string{"internal/bridge"}, Never: append([]string{"internal/preview", "internal/policy", "internal/apply", "internal/observe", "internal/report", "internal/source", "internal/fleet"}, kubernetesClients...), Deep: true,
		},
		{
			Reason: "every command has it, so it knows none, and not what they talk to",
			From:   []string{"internal/cli/command", "internal/cli/table"}, Never: []string{"internal/cli"}, Allow: []string{"internal/cli/command", "internal/cli/live"},
		},
		{
			Reason: "families of commands share what a command talks to, the checkout that it looks at, and what several of them list and print: these know no family",
			From:   []string{"internal/cli/target", "internal/cli/checkout", "internal/cli/past", "internal/cli/rows", "internal/cli/differences", "internal/cli/secrets"}, Never: []string{"internal/cli"},
			Allow: []string{"internal/cli/command", "internal/cli/live", "internal/cli/table", "internal/cli/target"},
		},
		{
			Reason: "a family of commands can be read by itself: what two of them need is below them",
			From:   families(), Never: []string{"internal/cli"}, Allow: belowFamilies,
		},
		{
			Reason: "what is known of an Application stands below the subjects of its reconcile; of those it knows what dependencies ask of a cluster",
			From:   []string{"internal/controller/application/state"},
			Never:  []string{"internal/controller/application"}, Allow: []string{"internal/controller/application/opstate", "internal/controller/application/dependency"},
		},
		{
			Reason: "it judges values: who reads and scales stands above it",
			From:   []string{"internal/takeover"}, Never: append([]string{"internal"}, kubernetesClients...), Allow: []string{"internal/gitops"}, Deep: true,
		},
		{
			Reason: "it makes values and files: who writes them to a cluster stands above it",
			From:   []string{"internal/bootstrap"}, Never: append([]string{"internal"}, kubernetesClients...),
			Allow: []string{"internal/bounded", "internal/gitops", "internal/redact", "internal/source/access", "internal/source/address", "internal/fleet/clustersecret"},
		},
		{
			Reason: "only the place that wires things together knows the controllers, and what looks at applications and sets as they do",
			From:   []string{"internal"}, Except: []string{"internal/app", "internal/controller", "internal/lookup", "internal/inspect"}, Never: []string{"internal/controller"},
		},
		{
			Reason: "only commands stand above the wiring",
			From:   []string{"internal"}, Except: []string{"internal/cli"}, Never: []string{"internal/app"},
		},
		{
			Reason: "it reads what a hub says, and acts on none of it: what is compared, applied and shown stands beside it",
			From:   []string{"internal/hub"}, Never: []string{"internal/apply", "internal/observe", "internal/report", "internal/controller", "internal/serve", "internal/server", "internal/preview", "internal/generate"},
		},
		{
			Reason: "parts are given what the hub says, and do not look for it",
			From:   []string{"internal"}, Except: []string{"internal/app", "internal/cli", "internal/offline", "internal/install", "internal/handover", "internal/lookup", "internal/inspect"}, Never: []string{"internal/hub"},
		},
		{
			Reason: "it looks as an engine would, and is none: what follows changes, keeps history and listens stands above it",
			From:   []string{"internal/inspect"}, Never: []string{"internal/store", "internal/follow", "internal/telemetry", "internal/estate", "internal/report", "internal/infra"},
		},
		{
			Reason: "it answers what generators ask: who expands, renders and writes stands above it",
			From:   []string{"internal/lookup"}, Never: []string{"internal/fleet", "internal/render", "internal/plan", "internal/apply", "internal/observe", "internal/report", "internal/serve", "internal/server", "internal/preview", "internal/store"},
		},
		{
			Reason: "they bring an engine to a cluster, and run no stage of one: what that renders, compares and applies is not their matter",
			From:   []string{"internal/install", "internal/handover"}, Never: []string{"internal/generate", "internal/render", "internal/apply", "internal/observe", "internal/report", "internal/controller", "internal/serve", "internal/server", "internal/preview", "internal/offline"},
		},
		{
			Reason: "it reads a checkout and what files say, and asks no cluster",
			From:   []string{"internal/offline"}, Never: append([]string{"internal/apply", "internal/observe", "internal/report", "internal/fleet", "internal/serve", "internal/server", "internal/store"}, kubernetesClients...),
		},
		{
			Reason: "it joins the server to values of the engine and to its caches: who fetches, renders and applies is behind what it is given",
			From:   []string{"internal/serve"}, Never: []string{"internal/apply", "internal/render", "internal/generate", "internal/source", "internal/cli"}, Allow: []string{"internal/source/access"},
		},
		{
			Reason: "it keeps Secrets of the hub: what the engine has, and what becomes of clusters and applications, is not its matter",
			From:   []string{"internal/serve/secrets"}, Never: []string{"internal"},
			Allow: []string{"internal/auth", "internal/bounded", "internal/follow", "internal/gitops", "internal/server/api", "internal/server/session", "internal/server/trail", "internal/store"},
		},
		{
			Reason: "it is how the server is reached, whatever is answered there",
			From:   []string{"internal/serve/listener"}, Never: []string{"internal"},
			Allow: []string{"internal/auth", "internal/gitops", "internal/server/certificate", "internal/server/session"},
		},
		{
			Reason: "it writes what people describe, and asks whether that answers: nothing is rendered or deployed by it",
			From:   []string{"internal/estate"}, Never: []string{"internal/apply", "internal/render", "internal/generate", "internal/plan", "internal/observe", "internal/controller"},
		},
		{
			Reason: "it takes what ConfigMaps say to whoever asks for it, and knows none",
			From:   []string{"internal/follow"}, Never: []string{"internal"},
		},
		{
			Reason: "it takes a first try that came too late for success: conflict does not",
			From:   []string{"internal"}, Except: []string{"internal/conflict"}, Never: []string{"k8s.io/client-go/util/retry"},
		},
		{
			Reason: "the server reads what others keep, and never makes a cluster or a repository wait for a page",
			From:   []string{"internal/server"}, Never: []string{"internal"}, Allow: []string{"internal/store", "internal/history", "internal/fleet", "internal/gitops", "internal/redact", "internal/policy", "internal/auth", "internal/bounded", "internal/cache", "internal/slots", "internal/crew", "internal/treediff"},
		},
	}
	all = append(all, imports.Rule{
		Reason: "it says what a sync would do, to whoever decides or looks: what fetches, reads clusters, writes and reports is behind what it is given",
		From:   []string{"internal/compare"}, Never: append([]string{"internal"}, kubernetesClients...), Allow: []string{"internal/gitops", "internal/policy", "internal/plan", "internal/render", "internal/room"},
	}, imports.Rule{
		Reason: "clients of Git hosts serve generators and commands alike, and know neither",
		From:   []string{"internal/host"}, Never: []string{"internal"}, Allow: []string{"internal/bounded", "internal/gitops", "internal/glob", "internal/crew"}, Deep: true,
	}, imports.Rule{
		Reason: "a preview composes the stages that work on values, and needs no cluster",
		From:   []string{"internal/preview"}, Never: append([]string{"internal/apply", "internal/observe", "internal/report", "internal/source"}, kubernetesClients...), Allow: []string{"k8s.io/client-go/kubernetes/scheme"},
	})
	all = append(all, imports.Rule{
		Reason: "what syncs did is kept by one package, and what it is kept in is nobody else's matter",
		From:   []string{"internal"}, Except: []string{"internal/store"}, Never: []string{"modernc.org/sqlite", "github.com/jackc/pgx", "github.com/pressly/goose", "database/sql"},
	}, imports.Rule{
		Reason: "the store takes and gives values: whoever writes or reads it does not come with it",
		From:   []string{"internal/store"}, Never: []string{"internal"}, Allow: []string{"internal/history", "internal/gitops", "internal/room", "internal/slots"}, Deep: true,
	}, imports.Rule{
		Reason: "what syncs did is told in the same words by all: who keeps or shows it stands above",
		From:   []string{"internal/history"}, Never: append([]string{"internal"}, kubernetesClients...), Allow: []string{"internal/gitops"}, Deep: true,
	}, imports.Rule{
		Reason: "rules are judged on values, and know no stage that they rule",
		From:   []string{"internal/policy"}, Never: []string{"internal"}, Allow: []string{"internal/gitops", "internal/source/address", "internal/glob", "internal/cache", "internal/bounded"}, Deep: true,
	}, imports.Rule{
		Reason: "scripts of strangers run in the sandbox alone",
		From:   []string{"internal"}, Except: []string{"internal/observe/sandbox"}, Never: []string{"github.com/yuin/gopher-lua"},
	}, imports.Rule{
		Reason: "expressions of strangers are evaluated behind their bounds alone",
		From:   []string{"internal"}, Except: []string{"internal/difference/jq"}, Never: []string{"github.com/itchyny/gojq"},
	}, imports.Rule{
		Reason: "schemas of strangers are judged behind their bounds alone",
		From:   []string{"internal"}, Except: []string{"internal/render/helm/schema"}, Never: []string{"github.com/santhosh-tekuri/jsonschema/v6"},
	}, imports.Rule{
		Reason: "templates of others are parsed by bounded.ParseTemplate, and executed by who bounds that, too; see TestTemplatesOfOthersAreMeasuredFirst",
		From:   []string{"internal"}, Except: append([]string{"internal/preview/show", "internal/auth/oidc/oidctest"}, withTemplates...), Never: []string{"text/template", "html/template"},
	}, imports.Rule{
		Reason: "what is secret is masked in one way, whoever shows it",
		From:   []string{"internal/redact"}, Never: append([]string{"internal"}, kubernetesClients...), Allow: []string{"internal/gitops"}, Deep: true,
	}, imports.Rule{
		Reason: "patterns are read in one way by whoever has some, and it knows nobody",
		From:   []string{"internal/glob"}, Never: []string{"internal"}, Deep: true,
	}, imports.Rule{
		Reason: "trees are walked in one way by whoever compares some, and it knows nobody",
		From:   []string{"internal/treediff"}, Never: []string{"internal"}, Deep: true,
	}, imports.Rule{
		Reason: "whoever reads what others wrote is bounded by it, and it knows nobody",
		From:   []string{"internal/bounded", "internal/screen"}, Never: []string{"internal"}, Deep: true,
	}, imports.Rule{
		Reason: "whoever does things side by side has it, and it knows nobody",
		From:   []string{"internal/crew"}, Never: []string{"internal"}, Deep: true,
	}, imports.Rule{
		// apply's applier recovers panics itself, as each is the error of one object.
		Reason: "a panic in a goroutine of a group of errgroup ends the process, for one team's object that of all: crew.Group makes it an error",
		From:   []string{"internal", "cmd", "deploy"}, Except: []string{"internal/crew"}, Never: []string{"golang.org/x/sync/errgroup"},
	}, imports.Rule{
		Reason: "secrets are fetched and computed without the engine, so that a spoke can have them alone",
		From:   []string{"internal/secrets"}, Never: []string{"internal"},
		Allow: []string{"internal/bounded", "internal/crew", "internal/redact", "internal/worker"},
	}, imports.Rule{
		Reason: "clients of secret managers are their provider's own matter",
		From:   []string{"internal"}, Except: []string{"internal/secrets/provider", "internal/kms/vault", "internal/kms/aws", "internal/kms/azure"}, Never: []string{"github.com/hashicorp/vault/api", "github.com/aws/aws-sdk-go-v2/service/secretsmanager", "github.com/aws/aws-sdk-go-v2/service/ssm", "github.com/aws/aws-sdk-go-v2/service/ecr", "github.com/aws/aws-sdk-go-v2/service/kms", "google.golang.org/api", "github.com/Azure/azure-sdk-for-go/sdk/security"},
	}, imports.Rule{
		Reason: "it runs beside an API server, and is no engine; the control plane's module compiles two of its packages, which therefore know none",
		From:   []string{"internal/kms"}, Never: []string{"internal"}, Allow: []string{"internal/redact", "internal/secrets/provider"},
	}, imports.Rule{
		Reason: "the control plane's module compiles their files under other paths",
		From:   []string{"internal/kms/agefile", "internal/kms"}, Except: []string{"internal/kms/address", "internal/kms/vault", "internal/kms/aws", "internal/kms/azure", "internal/kms/gcp"}, Never: []string{"internal"}, Deep: true,
	}, imports.Rule{
		Reason: "expressions over values are evaluated in workers, by what entries are",
		From:   []string{"internal"}, Except: []string{"internal/secrets/entry"}, Never: []string{"github.com/tidwall/gjson", "github.com/PaesslerAG/jsonpath"},
	}, imports.Rule{
		Reason: "it says whom news concern, and wakes those: what a look fetches, renders, writes and answers is not its matter",
		From:   []string{"internal/controller/route"},
		Never:  []string{"internal"},
		Allow: []string{
			"internal/controller/application/dependency", "internal/controller/applicationset", "internal/controller/bulkhead", "internal/controller/comparisons",
			"internal/controller/wake", "internal/generate", "internal/gitops", "internal/policy", "internal/source/address",
		},
	}, imports.Rule{
		Reason: "it sends and measures values that it is given, and acts on none",
		From:   []string{"internal/telemetry"}, Never: append([]string{"internal"}, kubernetesClients...),
		Allow: []string{"internal/fleet", "internal/gitops", "internal/history", "internal/render"},
	}, imports.Rule{
		Reason: "it bounds whatever process asks for it, and knows none",
		From:   []string{"internal/memlimit"}, Never: []string{"internal"}, Deep: true,
	})
	all = append(all, imports.Rule{
		Reason: "it connects for whoever must not reach all hosts, and knows none",
		From:   []string{"internal/egress"}, Never: []string{"internal"}, Deep: true,
	}, imports.Rule{
		Reason: "who may do what is judged on values: who reads ConfigMaps, Secrets and projects, and who asks, stands above it",
		From:   []string{"internal/auth"}, Never: append([]string{"internal"}, kubernetesClients...), Allow: []string{"internal/bounded", "internal/gitops", "internal/cache", "internal/glob"}, Deep: true,
	}, imports.Rule{
		Reason: "what a cluster needs is also installed by programs of other modules, which bring no engine",
		From:   []string{"deploy"}, Never: []string{"internal"}, Deep: true,
	}, imports.Rule{
		Reason: "drivers know how clusters are made, and nothing of what is deployed to them",
		From:   []string{"internal/infra"}, Never: []string{"internal"}, Allow: []string{"internal/fleet", "internal/gitops", "internal/crew"},
	}, imports.Rule{
		Reason: "what makes clusters is behind a driver, and nobody else's matter",
		From:   []string{"internal"}, Except: []string{"internal/infra/cluster/kind"}, Never: []string{"sigs.k8s.io/kind"},
	})
	for _, s := range stages {
		others := []string{"internal/fleet", "internal/history", "internal/store", "internal/server", "internal/serve"}
		for _, o := range stages {
			if o != s {
				others = append(others, "internal/"+o)
			}
		}
		all = append(all, imports.Rule{Reason: "stages meet in the controllers only, and the platform stands beside them", From: []string{"internal/" + s}, Never: others, Deep: true})
	}
	const room = "internal/controller/application"
	for subject, knows := range map[string][]string{
		"deletion": {room + "/state", room + "/opstate"}, "journal": {room + "/state", room + "/opstate"}, "massdeletion": {room + "/state", room + "/opstate"},
		"claims":     {room + "/state", room + "/opstate"},
		"dependency": nil, "appcache": nil, "opstate": nil,
	} {
		all = append(all, imports.Rule{
			Reason: "subjects of a reconcile know neither each other nor the controller, so that each can be read and tested by itself",
			From:   []string{room + "/" + subject}, Never: []string{room}, Allow: knows,
		})
	}
	return all
}

// belowFamilies are what families of commands share.
var belowFamilies = []string{
	"internal/cli/command", "internal/cli/live", "internal/cli/table", "internal/cli/target", "internal/cli/checkout",
	"internal/cli/past", "internal/cli/rows", "internal/cli/differences", "internal/cli/secrets",
}

// families are the folders of commands: all that are not shared, so that a new one is held to the rule, too.
func families() []string {
	folders, _ := os.ReadDir("internal/cli") // without one, the rule is about no package, and fails
	var out []string
	for _, f := range folders {
		if path := "internal/cli/" + f.Name(); f.IsDir() && !strings.HasSuffix(path, "test") && !slices.Contains(belowFamilies, path) {
			out = append(out, path)
		}
	}
	return out
}

func TestImportRules(t *testing.T) { imports.Load(t, module).Follow(t, rules()) }

// TestYAMLOfOthersIsCountedFirst: nodes of a text are safe, and what is made of them is not.
func TestYAMLOfOthersIsCountedFirst(t *testing.T) {
	rule := imports.Call{
		Reason: "yaml.v3 makes values of a mapping by the square of its keys: have bounded.Decode, DecodeStrict or DecodeNode do it",
		From:   []string{"internal", "api", "cmd"}, Except: []string{"internal/bounded"},
		Never: []string{"sigs.k8s.io/yaml/goyaml.v3.Unmarshal", "sigs.k8s.io/kustomize/kyaml/yaml.Unmarshal"},
	}
	for _, library := range []string{"go.yaml.in/yaml/v3", "gopkg.in/yaml.v3"} {
		rule.Never = append(rule.Never, library+".Unmarshal", "(*"+library+".Decoder).Decode", "(*"+library+".Node).Decode")
		rule.Into = append(rule.Into, "*"+library+".Node")
	}
	imports.Load(t, module).FollowCalls(t, rule)
}

// withTemplates execute templates of others.
var withTemplates = []string{"internal/bounded", "internal/generate", "internal/render/helm/engine", "internal/secrets/template"}

// TestTemplatesOfOthersAreMeasuredFirst: the parser recurses, and a stack that is used up ends the process.
func TestTemplatesOfOthersAreMeasuredFirst(t *testing.T) {
	imports.Load(t, module).FollowCalls(t, imports.Call{
		Reason: "the parser of templates recurses without a bound: have bounded.ParseTemplate call it",
		From:   withTemplates, Except: []string{"internal/bounded"},
		Never: []string{
			"text/template/parse.Parse", "(*text/template/parse.Tree).Parse", "(*text/template.Template).Parse",
			"(*text/template.Template).ParseFS", "(*text/template.Template).ParseFiles", "(*text/template.Template).ParseGlob",
		},
	})
}

// perhapsNobody is the Person of a user whom nobody has looked at: out of a
// context, or out of what keeps the user of a request.
var perhapsNobody = regexp.MustCompile(`(auth\.From\([^)]*(\(\))?\)|\b\w+\.[a-z]\w*)\.Person\(\)`)

// TestTurnsAreOfWhoAsks: who is called nobody is the engine, and no stranger.
func TestTurnsAreOfWhoAsks(t *testing.T) {
	for _, form := range []string{"Take(auth.From(ctx).Person())", "Take(auth.From(c.Context()).Person())", "Take(c.user.Person())"} {
		if !perhapsNobody.MatchString(form) {
			t.Errorf("nobody would see %s", form)
		}
	}
	err := fs.WalkDir(os.DirFS("internal"), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile("internal/" + path)
		if found := perhapsNobody.Find(text); found != nil {
			t.Errorf("internal/%s has %s, which is nobody for strangers and for the engine: use auth.Asker", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
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

func TestPackagesSayWhatTheyAreFor(t *testing.T) { imports.Load(t, module).Described(t) }

// TestLayoutIsComplete: CONTRIBUTING.md names each folder of internal, and no other.
func TestLayoutIsComplete(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	named := imports.Layout(string(text), "internal")
	folders, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && !named[f.Name()] {
			t.Errorf("the layout in CONTRIBUTING.md does not name internal/%s", f.Name())
		}
		delete(named, f.Name())
	}
	for name := range named {
		t.Errorf("the layout in CONTRIBUTING.md names internal/%s, which is not there", name)
	}
}

// saysOtherwise is a comment of what reports whether something holds, in other
// words. Those of the fields of api are indented, and describe for users what a
// field says.
var saysOtherwise = regexp.MustCompile(`(?m)^(\t*)// \S+ (tells|says) whether .*$`)

// tellsThat is the comment of a function that returns a bool alone, in other words.
var tellsThat = regexp.MustCompile(`(?m)^()(// \S+ tells that .*)\n(?://.*\n)*func .*\) \(?(?:\w+ )?bool\)? \{`)

func TestDocCommentsReportWhether(t *testing.T) {
	for _, folder := range []string{"internal", "cmd", "api", "deploy", "test", "terraform/provider"} {
		err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := os.ReadFile(folder + "/" + path)
			for _, m := range append(saysOtherwise.FindAllStringSubmatch(string(text), -1), tellsThat.FindAllStringSubmatch(string(text), -1)...) {
				if folder != "api" || m[1] == "" {
					t.Errorf("%s/%s has %q: write that it reports whether", folder, path, strings.TrimSpace(m[0]))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
