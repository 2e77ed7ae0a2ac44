package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

const chartYAML = "apiVersion: v2\nname: web\nversion: 1.0.0\n"

const chartTemplate = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {mode: {{ .Values.mode | quote }}}
`

// fault is something wrong in the repository or the spec, and its repair.
type fault struct {
	reason string
	// files of the application before the fault; nil: a ConfigMap.
	files map[string]string
	// break and repair change the repository or the application.
	breaks, repair func(e *engine, app *v1alpha1.Application)
	// condition and words that the status must show.
	condition string
	words     []string
}

// edit returns a function that writes one file of the application's folder.
func edit(name, content string) func(*engine, *v1alpha1.Application) {
	return func(e *engine, _ *v1alpha1.Application) { e.write("app/"+name, content) }
}

// respec returns a function that changes the application's spec.
func respec(change func(*v1alpha1.Application)) func(*engine, *v1alpha1.Application) {
	return func(e *engine, _ *v1alpha1.Application) { e.change("app", change) }
}

func helmFiles() map[string]string {
	return map[string]string{"Chart.yaml": chartYAML, "values.yaml": "mode: standard\n", "templates/cm.yaml": chartTemplate}
}

var faults = map[string]fault{
	"broken YAML": {
		reason: "a manifest that does not parse must not prune what it used to hold",
		breaks: edit("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n data: {x: [}\n"), repair: edit("a.yaml", configMapV1),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{repoURL, "app/a.yaml"},
	},
	"template error": {
		reason: "the template and its line are what the author needs",
		files:  helmFiles(),
		breaks: edit("templates/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.nothing.here }}}\n"), repair: edit("templates/cm.yaml", chartTemplate),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"templates/cm.yaml", "line 3", ".here"},
	},
	"missing value file": {
		reason: "a value file that is not there is an error unless it is told to be ignored",
		files:  helmFiles(),
		breaks: respec(func(app *v1alpha1.Application) {
			app.Spec.Source.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"values-prod.yaml"}}
		}),
		repair:    edit("values-prod.yaml", "mode: careful\n"),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"values-prod.yaml"},
	},
	"unknown chart version": {
		reason:    "the versions that exist are the answer",
		breaks:    respec(func(app *v1alpha1.Application) { *app.Spec.Source = chartSource("9.9.9") }),
		repair:    respec(func(app *v1alpha1.Application) { *app.Spec.Source = chartSource("1.x") }),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"9.9.9", "1.0.0"},
	},
	"unknown chart": {
		reason: "a wrong chart name is found by its repository",
		breaks: respec(func(app *v1alpha1.Application) {
			*app.Spec.Source = chartSource("1.0.0")
			app.Spec.Source.Chart = "wbe"
		}),
		repair:    respec(func(app *v1alpha1.Application) { *app.Spec.Source = chartSource("1.0.0") }),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"wbe", "web"},
	},
	"wrong revision": {
		reason:    "a commit that the repository does not have",
		breaks:    respec(func(app *v1alpha1.Application) { app.Spec.Source.TargetRevision = strings.Repeat("d", 40) }),
		repair:    respec(func(app *v1alpha1.Application) { app.Spec.Source.TargetRevision = "HEAD" }),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"ddddddd", repoURL},
	},
	"missing path": {
		reason:    "a folder that is not in the repository",
		breaks:    respec(func(app *v1alpha1.Application) { app.Spec.Source.Path = "apq" }),
		repair:    respec(func(app *v1alpha1.Application) { app.Spec.Source.Path = "app" }),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"apq"},
	},
	"path outside of the repository": {
		reason:    "no path leads out of a snapshot",
		breaks:    respec(func(app *v1alpha1.Application) { app.Spec.Source.Path = "../../etc" }),
		repair:    respec(func(app *v1alpha1.Application) { app.Spec.Source.Path = "app" }),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"../../etc"},
	},
	"symbolic link out of the repository": {
		reason: "neither does a symbolic link",
		breaks: func(e *engine, _ *v1alpha1.Application) {
			if err := os.Symlink("/etc/hostname", filepath.Join(e.folder, "app/b.yaml")); err != nil {
				e.t.Fatal(err)
			}
		},
		repair: func(e *engine, _ *v1alpha1.Application) {
			if err := os.Remove(filepath.Join(e.folder, "app/b.yaml")); err != nil {
				e.t.Fatal(err)
			}
		},
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"app/b.yaml"},
	},
	"a huge file": {
		reason: "200 MB in a manifest are refused by their size, not read",
		breaks: func(e *engine, _ *v1alpha1.Application) {
			f, err := os.Create(filepath.Join(e.folder, "app/huge.yaml"))
			if err == nil {
				err = f.Truncate(200 << 20)
			}
			if err != nil {
				e.t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				e.t.Fatal(err)
			}
		},
		repair: func(e *engine, _ *v1alpha1.Application) {
			if err := os.Remove(filepath.Join(e.folder, "app/huge.yaml")); err != nil {
				e.t.Fatal(err)
			}
		},
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"app/huge.yaml"},
	},
	"unreachable repository": {
		reason:    "an address at which nothing answers",
		breaks:    respec(func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = "http://127.0.0.1:1/nothing.git" }),
		repair:    respec(func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = repoURL }),
		condition: v1alpha1.ApplicationConditionComparisonError, words: []string{"http://127.0.0.1:1/nothing"},
	},
	"unknown destination": {
		reason:    "a cluster that nobody described",
		breaks:    respec(func(app *v1alpha1.Application) { app.Spec.Destination.Name = "nowhere" }),
		repair:    respec(func(app *v1alpha1.Application) { app.Spec.Destination.Name = "in-cluster" }),
		condition: v1alpha1.ApplicationConditionInvalidSpecError, words: []string{"nowhere"},
	},
	"unknown project": {
		reason:    "a project that nobody made",
		breaks:    respec(func(app *v1alpha1.Application) { app.Spec.Project = "team-x" }),
		repair:    respec(func(app *v1alpha1.Application) { app.Spec.Project = "default" }),
		condition: v1alpha1.ApplicationConditionInvalidSpecError, words: []string{"team-x"},
	},
	"an object that the API server rejects": {
		reason:    "a value that only the API server can judge",
		breaks:    edit("b.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 99999999}]}\n"),
		repair:    edit("b.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n"),
		condition: v1alpha1.ApplicationConditionSyncError, words: []string{"Service", "port", "app/b.yaml"},
	},
}

func chartSource(version string) v1alpha1.ApplicationSource {
	return v1alpha1.ApplicationSource{RepoURL: chartsURL, Chart: "web", TargetRevision: version}
}

// TestFaults breaks an application that was good, and looks at four things:
// the status says what, where and what to do; nothing was pruned; another
// application goes on; and after the repair all is well without help.
func TestFaults(t *testing.T) {
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"other/a.yaml": strings.ReplaceAll(configMapV1, "settings", "other")}
			if f.files == nil {
				files["app/a.yaml"] = configMapV1
			}
			for file, content := range f.files {
				files["app/"+file] = content
			}
			e := start(t, files)
			app := e.app("app", "app", noRetry)
			e.app("other", "other")
			was := e.until("app", "good before the fault", good).Status.Resources

			f.breaks(e, app)
			broken := e.until("app", "showing "+f.condition, func(app *v1alpha1.Application) bool { return condition(app, f.condition) != "" })
			text := condition(broken, f.condition)
			for _, word := range f.words {
				if !strings.Contains(text, word) {
					t.Errorf("%s: the condition does not name %q: %s", f.reason, word, text)
				}
			}
			for _, object := range was {
				if !e.exists(object) {
					t.Errorf("%s: %s %s was deleted because of the fault", f.reason, object.Kind, object.Name)
				}
			}
			e.write("other/a.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "other"), `"1"`, `"2"`))
			e.untilVersion("other", "2")

			f.repair(e, app)
			e.until("app", "good after the repair", func(app *v1alpha1.Application) bool {
				return good(app) && condition(app, f.condition) == ""
			})
		})
	}
}
