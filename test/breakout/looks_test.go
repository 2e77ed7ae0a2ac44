package breakout

import (
	"os"
	"path/filepath"
	"strings"
)

// configured are what git would do in a checkout that is configured so.
func configured() map[string]look {
	set := func(reason, key, value string) look {
		return look{reason: reason, files: edits, arm: func(c *checkout) {
			git(c.t, c.dir, "config", key, strings.ReplaceAll(value, "TRAP", c.trap))
			c.write(map[string]string{"web/a.yaml": harmless + "# not committed\n"})
		}}
	}
	return map[string]look{
		"Monitor":    set("a monitor of the work tree is a program", "core.fsmonitor", "TRAP"),
		"SSHCommand": set("the way to a host is a program", "core.sshCommand", "TRAP"),
		"Helper":     set("a helper of the checkout gets the machine's credentials", "credential.helper", "!TRAP"),
		"Pager":      set("what shows a difference is a program", "core.pager", "TRAP"),
		"Difference": set("what makes a difference is a program", "diff.external", "TRAP"),
		"Upload":     set("what a remote answers with is a program", "remote.origin.uploadpack", "TRAP"),
		"Proxy":      set("the way to a host is a program", "core.gitProxy", "TRAP"),
		"Alternate":  set("references of other stores come by a program", "core.alternateRefsCommand", "TRAP"),
		"InsteadOf":  set("an address stands for another one, with a credential", "url.http://red:needed@127.0.0.1.insteadOf", "http://127.0.0.1"),
		"Include": {reason: "a file of the checkout is configuration", files: edits, arm: func(c *checkout) {
			c.write(map[string]string{"config": "[core]\n\tfsmonitor = " + c.trap + "\n"})
			git(c.t, c.dir, "config", "include.path", "../config")
		}},
		"Hooks": {reason: "hooks of the checkout run", files: edits, arm: func(c *checkout) {
			for _, hook := range []string{"post-checkout", "pre-commit", "reference-transaction", "post-index-change"} {
				text, err := os.ReadFile(c.trap)
				if err == nil {
					err = os.WriteFile(filepath.Join(c.dir, ".git", "hooks", hook), text, 0o700)
				}
				if err != nil {
					c.t.Fatal(err)
				}
			}
			c.write(map[string]string{"web/a.yaml": harmless + "# not committed\n"})
		}},
		"Filter": {reason: "a filter of contents is a program", files: func(*checkout) map[string]string {
			return map[string]string{".gitattributes": "*.yaml filter=trap diff=trap\n", "web/b.yaml": strings.ReplaceAll(harmless, "harmless", "b")}
		}, arm: func(c *checkout) {
			for _, way := range []string{"filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "diff.trap.textconv", "diff.trap.command"} {
				git(c.t, c.dir, "config", way, c.trap)
			}
			c.write(map[string]string{"web/a.yaml": harmless + "# not committed\n"})
		}},
		"LinkedStore": {reason: "a store that is a link is another one's", files: edits, arm: func(c *checkout) {
			store := filepath.Join(c.home, "store")
			git(c.t, c.dir, "config", "core.fsmonitor", c.trap)
			if err := os.Rename(filepath.Join(c.dir, ".git"), store); err != nil {
				c.t.Fatal(err)
			}
			c.write(map[string]string{".git": linkTo + store})
		}},
		"StoreByFile": {reason: "a file says where the store is", files: edits, arm: func(c *checkout) {
			store := filepath.Join(c.dir, "web", "store")
			git(c.t, c.dir, "config", "core.fsmonitor", c.trap)
			if err := os.Rename(filepath.Join(c.dir, ".git"), store); err != nil {
				c.t.Fatal(err)
			}
			c.write(map[string]string{".git": "gitdir: web/store\n"})
		}},
		"BorrowedStore": {reason: "objects are read from a store of the machine", files: edits, arm: func(c *checkout) {
			c.write(map[string]string{".git/objects/info/alternates": c.home + "\n"})
		}},
	}
}

// edits are a second commit.
func edits(*checkout) map[string]string {
	return map[string]string{"web/b.yaml": strings.ReplaceAll(harmless, "harmless", "b")}
}

// declared are what manifests of a checkout ask for.
func declared() map[string]look {
	return map[string]look{
		"LinkOut": {reason: "a link shows a file of the machine", files: func(c *checkout) map[string]string {
			return map[string]string{"web/out.yaml": linkTo + c.canary, "web/passwd.yaml": linkTo + "/etc/passwd"}
		}},
		"ValuesOut": {reason: "values are a file of the machine", files: func(c *checkout) map[string]string {
			return map[string]string{
				"web/Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}", "web/values.yaml": linkTo + c.canary,
				"web/templates/a.yaml": `{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: {{ .Values | toJson | quote }}, b: {{ env "SECRET_OF_THE_JOB" | quote }} }}`,
			}
		}},
		"Environment": {reason: "a chart shows a variable of the job", files: func(*checkout) map[string]string {
			return map[string]string{
				"web/Chart.yaml":       "{apiVersion: v2, name: web, version: 1.0.0}",
				"web/templates/a.yaml": `{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: {{ tpl "{{ env \"SECRET_OF_THE_JOB\" }}" . | quote }} }}`,
			}
		}},
		"BaseOut": {reason: "a base is a folder of the machine", files: func(c *checkout) map[string]string {
			return map[string]string{"web/kustomization.yaml": "configMapGenerator: [{name: x, files: [\"" + c.canary + "\", \"../../../../../../../etc/passwd\"]}]\n"}
		}},
		"ImportOut": {reason: "an import is a file of the machine", files: func(c *checkout) map[string]string {
			return map[string]string{"web/a.jsonnet": `{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x"}, data: {a: importstr "` + c.canary + `"}}`}
		}},
		"FolderOut": {reason: "a repository is a folder of the machine", files: func(c *checkout) map[string]string {
			return map[string]string{"app.yaml": strings.ReplaceAll(c.fleet()["app.yaml"], c.host.repo(), "file://"+c.home)}
		}},
		"PathOut": {reason: "a path leads out of the checkout", files: func(c *checkout) map[string]string {
			return map[string]string{"app.yaml": strings.ReplaceAll(c.fleet()["app.yaml"], "path: web", "path: ../../../../../etc")}
		}},
		"HostWithCredential": {reason: "the machine signs in at an address that the checkout names", files: func(c *checkout) map[string]string {
			return map[string]string{"web/kustomization.yaml": "resources: [\"" + c.host.URL + "/other.git//x?ref=main\"]\n"}
		}},
		"GitOfTheMachine": {reason: "a base has the library run the machine's git, with its configuration", files: func(*checkout) map[string]string {
			return map[string]string{
				"web/kustomization.yaml":                      "components: [\"gİthub.com/evil/repo\"]\n",
				"web/gİthub.com/evil/repo/kustomization.yaml": "{apiVersion: kustomize.config.k8s.io/v1alpha1, kind: Component}\n",
			}
		}},
		"ChartsWithCredential": {reason: "the same, for charts", files: func(c *checkout) map[string]string {
			return map[string]string{"app.yaml": strings.Replace(c.fleet()["app.yaml"], `repoURL: "`+c.host.repo()+`", path: web, targetRevision: HEAD`, `repoURL: "`+c.host.URL+`/charts", chart: web, targetRevision: 1.0.0`, 1)}
		}},
		"RegistryWithCredential": {reason: "the same, for a registry", files: func(c *checkout) map[string]string {
			return map[string]string{"app.yaml": strings.ReplaceAll(c.fleet()["app.yaml"], c.host.repo(), strings.Replace(c.host.URL, "http://", "oci://", 1)+"/web")}
		}},
		"Transport": {reason: "an address is a program", files: func(c *checkout) map[string]string {
			return map[string]string{"app.yaml": strings.ReplaceAll(c.fleet()["app.yaml"], c.host.repo(), "ext::"+c.trap)}
		}},
		"AddressAsOption": {reason: "an address is an option", files: func(c *checkout) map[string]string {
			return map[string]string{"app.yaml": strings.ReplaceAll(c.fleet()["app.yaml"], c.host.repo(), "--upload-pack="+c.trap)}
		}},
		"Plugin": {reason: "a plugin is a program of the checkout", files: func(c *checkout) map[string]string {
			return map[string]string{
				"app.yaml":        strings.Replace(c.fleet()["app.yaml"], "targetRevision: HEAD", "targetRevision: HEAD, plugin: {name: trap}", 1),
				"web/plugin.yaml": "{apiVersion: argoproj.io/v1alpha1, kind: ConfigManagementPlugin, metadata: {name: trap}, spec: {generate: {command: [\"" + c.trap + "\"]}}}\n",
			}
		}},
		"KustomizePlugin": {reason: "a generator is a program of the checkout", files: func(c *checkout) map[string]string {
			return map[string]string{
				"web/kustomization.yaml": "generators: [gen.yaml]\n",
				"web/gen.yaml":           "apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: \"" + c.trap + "\"}\n",
			}
		}},
		"ClusterProgram": {reason: "a cluster's Secret starts a program for its credential", clusters: "cluster.yaml", files: func(c *checkout) map[string]string {
			return map[string]string{"cluster.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: dev, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {name: dev, server: \"" + c.host.URL + "\", config: '{\"execProviderConfig\": {\"command\": \"" + c.trap + "\", \"apiVersion\": \"client.authentication.k8s.io/v1\"}}'}}\n"}
		}},
		"ClusterKubeconfig": {reason: "a file of clusters is a kubeconfig that starts a program", clusters: "kubeconfig", files: func(c *checkout) map[string]string {
			return map[string]string{"kubeconfig": "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}], clusters: [{name: c, cluster: {server: \"" + c.host.URL + "\"}}], users: [{name: c, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: \"" + c.trap + "\"}}}]}\n"}
		}},
		"ControlCharacters": {reason: "a name tells a terminal what to do", files: func(c *checkout) map[string]string {
			return map[string]string{
				"web/b.yaml":            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"x\\e[2J\\a\"}\ndata: {\"k\\e]0;title\\a\": \"v\\e[31m\\r\"}\n",
				"web/\x1b[2Jc.yaml":     "not: [yaml\n",
				"app2.yaml":             strings.Replace(c.fleet()["app.yaml"], "name: web", `name: "w\e[2Jeb"`, 1),
				"web/d\x1b]52;c;x.json": "{",
			}
		}},
	}
}
