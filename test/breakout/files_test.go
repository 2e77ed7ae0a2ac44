package breakout

import (
	"maps"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// one is a folder with one file.
func one(text string) map[string]string { return map[string]string{"all.yaml": text} }

const (
	notThere   = `cannot deploy to namespace "blue" of cluster in-cluster`
	notControl = `cannot deploy to namespace "argocd" of cluster in-cluster`
	noKind     = "does not permit the cluster-scoped kind"
	leadsOut   = "leads out of the repository"
	notAsked   = `project "red" does not permit the repository`
)

// files are attempts of who writes files in a repository that the project permits.
func files() map[string]attempt {
	out := map[string]attempt{}
	for _, some := range []map[string]attempt{elsewhere(), hooks(), lists(), kinds(), tools(), reaches()} {
		maps.Copy(out, some)
	}
	return out
}

// elsewhere are manifests that say where they go.
func elsewhere() map[string]attempt {
	return map[string]attempt{
		"NamespaceInManifest": {
			reason: "a manifest writes into whatever namespace it names",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: blue}, data: {version: red}}`),
			says:   []string{notThere},
		},
		"UnmanagedInManifest": {
			reason: "what nobody deploys is taken over",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: by-hand, namespace: blue}, data: {version: red}}`),
			says:   []string{notThere},
		},
		"GuessedSecret": {
			reason: "the sync status tells whether a guess of another team's Secret is right",
			files:  one(`{apiVersion: v1, kind: Secret, metadata: {name: private, namespace: blue}, stringData: {password: hunter2}}`),
			play:   guesses,
			says:   []string{notThere},
		},
		"NameWithDots": {
			reason: "a name leads to another path of the API",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ../../blue/configmaps/settings}, data: {version: red}}`),
			says:   []string{`the name "../../blue/configmaps/settings" of a ConfigMap cannot be used`},
		},
		"NamespaceWithDots": {
			reason: "a namespace leads to another path of the API",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: red/../blue}, data: {version: red}}`),
			says:   []string{`the namespace "red/../blue" of a ConfigMap cannot be used`},
		},
		"NamespaceSpelled": {
			reason: "a namespace that is spelled otherwise is another one to the project, and the same to the cluster",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: "blue "}, data: {version: red}}`),
			says:   []string{`cannot deploy to namespace "blue " of cluster in-cluster`},
		},
		"NamespaceTwice": {
			reason: "one reader takes the first of two keys, the next the last",
			files:  one("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: red\n  namespace: blue\ndata: {version: red}\n"),
			says:   []string{notThere},
		},
		"OptionsOfObjects": {
			reason: "options of an object go past what is asked of others",
			files: one(`apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: blue, annotations: {argocd.argoproj.io/sync-options: "Replace=true,Force=true,Validate=false,SkipDryRunOnMissingResource=true,ServerSideApply=true", argocd.argoproj.io/compare-options: IgnoreExtraneous, argocd.argoproj.io/sync-wave: "-100"}}
data: {version: red}
---
` + harmless),
			says: []string{notThere},
		},
		"DeleteOptions": {
			reason: "an object that is never to be deleted by red is another's for ever",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: new, namespace: blue, annotations: {argocd.argoproj.io/sync-options: "Prune=false,Delete=false"}}}`),
			says:   []string{notThere},
		},
		"CopiedTrackingID": {
			reason: "an object that says it is blue's becomes blue's, or blue's red's",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, annotations: {argocd.argoproj.io/tracking-id: "blue-apps_shop:/ConfigMap:blue/settings"}, labels: {app.kubernetes.io/instance: shop}}, data: {version: red}}`),
		},
		"CopiedIdentity": {
			reason: "an object bears the identity of another one",
			files: one(`apiVersion: v1
kind: ConfigMap
metadata: {name: settings, uid: 00000000-0000-0000-0000-000000000000, resourceVersion: "1", selfLink: /api/v1/namespaces/blue/configmaps/settings}
data: {version: red}`),
			says: []string{"take metadata.uid out of the manifest"},
		},
		"CopiedManagedFields": {
			reason: "a manifest says whose fields are whose",
			files: one(`apiVersion: v1
kind: ConfigMap
metadata: {name: settings, managedFields: [{manager: causeway, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {}}}]}`),
			says: []string{"managedFields must be nil"},
		},
	}
}

// hooks are attempts by what runs before, after and instead of a sync.
func hooks() map[string]attempt {
	hook := func(phase, policy, more string) map[string]string {
		return one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: by-hand, namespace: blue, annotations: {argocd.argoproj.io/hook: ` + phase + `, argocd.argoproj.io/hook-delete-policy: ` + policy + `}}, data: {version: red}}
---
` + harmless + more)
	}
	return map[string]attempt{
		"HookElsewhere": {reason: "a hook is created before the rest is looked at", files: hook("PreSync", "BeforeHookCreation", ""), says: []string{notThere}},
		"HookSync":      {reason: "a hook of the sync itself is no object of the application", files: hook("Sync", "HookSucceeded", ""), says: []string{notThere}},
		"HookPostSync":  {reason: "a hook that comes last is not looked at first", files: hook("PostSync", "HookFailed", ""), says: []string{notThere}},
		"HookSyncFail": {
			reason: "a hook of failures runs because of a refusal",
			files:  hook("SyncFail", "HookSucceeded", "---\n{apiVersion: v1, kind: Pod, metadata: {name: broken}, spec: {}}\n"),
			says:   []string{notThere},
		},
		"HookSkip":      {reason: "what is never applied is compared, or deleted, all the same", files: hook("Skip", "BeforeHookCreation", "")},
		"HookPreDelete": {reason: "hooks of deletions run when nobody looks at projects any more", files: hook("PreDelete", "BeforeHookCreation", ""), play: deletes, says: []string{"cannot run the PreDelete hooks", notThere}},
		"HookPostDelete": {
			reason: "the same, after all else has gone", files: hook("PostDelete", "HookSucceeded", ""), play: deletes, says: []string{"cannot run the PostDelete hooks", notThere},
		},
		"HookGenerateName": {
			reason: "an object without a name has no place to be held against",
			files: one(`{apiVersion: v1, kind: ConfigMap, metadata: {generateName: settings-, namespace: blue, annotations: {argocd.argoproj.io/hook: PreSync}}}
---
` + harmless),
			says: []string{notThere},
		},
		"HookClusterScoped": {
			reason: "a delete policy takes away another's object of the hook's name",
			files: one(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: blue-readers, annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation}}}
---
` + harmless),
			says: []string{noKind + " ClusterRole"},
		},
		"HookOfHelm": {
			reason: "Helm's hooks are read by other code",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: blue, annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: before-hook-creation}}}` + "\n---\n" + harmless),
			says:   []string{notThere},
		},
	}
}

// lists are objects inside of others.
func lists() map[string]attempt {
	const inner = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: blue}, data: {version: red}}`
	return map[string]attempt{
		"List":       {reason: "what is in a list is not looked at", files: one(`{apiVersion: v1, kind: List, items: [` + inner + `]}`), says: []string{notThere}},
		"NestedList": {reason: "what is in a list of lists is not looked at", files: one(`{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: [` + inner + `]}]}`), says: []string{"cannot apply a List without a name"}},
		"TypedList":  {reason: "a list of a kind of its own is one object", files: one(`{apiVersion: v1, kind: ConfigMapList, metadata: {namespace: red}, items: [` + inner + `]}`), says: []string{notThere}},
		"ListWithNamespace": {
			reason: "a list has a namespace that its items take", files: one(`{apiVersion: v1, kind: List, metadata: {namespace: blue}, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}]}`),
		},
	}
}

// kinds are objects that decide about others.
func kinds() map[string]attempt {
	const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.red.example.com}
spec:
  group: red.example.com
  scope: Cluster
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
	defines := func(_ *stage, a *v1alpha1.Application) { a.Spec.Project = "red-defines" }
	return map[string]attempt{
		"ClusterRole": {
			reason: "a kind without namespace changes what all may do",
			files:  one(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: blue-readers}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}`),
			says:   []string{noKind},
		},
		"ClusterRoleInNamespace": {
			reason: "a namespace in the manifest makes a kind a namespaced one",
			files:  one(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: blue-readers, namespace: red}, rules: []}`),
			says:   []string{noKind},
		},
		"Namespace": {
			reason: "who writes a namespace has what is in it",
			files:  one(`{apiVersion: v1, kind: Namespace, metadata: {name: blue, labels: {team: red}}}`),
			says:   []string{noKind},
		},
		"Definition": {
			reason: "a definition changes what all others' objects are",
			files:  one(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: applications.argoproj.io}, spec: {}}`),
			says:   []string{noKind},
		},
		"KindAppearsAsClusterScoped": {
			reason: "a kind that is not known yet is taken for a namespaced one",
			files: one(definition + `---
{apiVersion: red.example.com/v1, kind: Thing, metadata: {name: thing, namespace: red, annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true, argocd.argoproj.io/sync-wave: "1"}}}`),
			app:  defines,
			says: []string{noKind + " Thing.red.example.com"},
		},
		"KindThatChangesScope": {
			reason: "a definition that the sync brings says what its instances are",
			files:  one(definition + "---\n{apiVersion: red.example.com/v1, kind: Thing, metadata: {name: thing, namespace: red}}"),
			app:    defines,
			says:   []string{noKind + " Thing.red.example.com"},
		},
		"ApplicationInManifest": {
			reason: "an Application that the engine makes in its own namespace is anybody's",
			files: one(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: child, namespace: argocd}
spec: {project: default, source: {repoURL: "x", path: x}, destination: {name: in-cluster, namespace: blue}}`),
			says: []string{notControl},
		},
		"ApplicationBesideBlues": {
			reason: "an Application in blue's namespace of Applications is blue's",
			files: one(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: blue-apps}
spec: {project: blue, source: {repoURL: "x", path: x}, destination: {name: in-cluster, namespace: blue}}`),
			says: []string{`cannot deploy to namespace "blue-apps" of cluster in-cluster`},
		},
		"ApplicationWhereNobodyLooks": {
			reason: "an Application counts wherever it is",
			files: one(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop}
spec: {project: blue, source: {repoURL: "$BLUE/blue.git", path: shop}, destination: {name: in-cluster, namespace: blue}, syncPolicy: {automated: {}}}
operation: {sync: {}}`),
			// The API server's own foreground deletion knows new kinds late.
			app: func(_ *stage, a *v1alpha1.Application) {
				a.Finalizers = []string{v1alpha1.FinalizerResourcesBackground}
			},
		},
		"ProjectInManifest": {
			reason: "a project that the engine writes permits everything",
			files:  one(`{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: red, namespace: argocd}, spec: {sourceRepos: ["*"], destinations: [{server: "*", namespace: "*"}]}}`),
			says:   []string{notControl},
		},
		"SecretsOfTheEngine": {
			reason: "a Secret of the engine's kind gives a cluster or a repository another credential",
			files:  one(`{apiVersion: v1, kind: Secret, metadata: {name: blue-repo, namespace: argocd, labels: {argocd.argoproj.io/secret-type: repository}}, stringData: {url: "$RED"}}`),
			says:   []string{notControl},
		},
		"RightsInBlue": {
			reason: "a binding gives red rights in blue",
			files:  one(`{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: red, namespace: blue}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}, subjects: [{kind: User, name: red}]}`),
			says:   []string{notThere},
		},
		"ExcludedKind": {
			reason: "kinds that the engine leaves out are not held against the project",
			files:  one(`{apiVersion: v1, kind: Event, metadata: {name: event, namespace: blue}, involvedObject: {kind: ConfigMap, name: settings, namespace: blue}}` + "\n---\n" + harmless),
			says:   []string{notThere},
		},
		"TokenOfBlue": {
			reason: "a kind that is only asked for answers with a token",
			files:  one(`{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: token, namespace: blue, annotations: {kubernetes.io/service-account.name: deployer}}}`),
			says:   []string{notThere},
		},
	}
}

// tools are attempts by what renders.
func tools() map[string]attempt {
	chart := func(template string) map[string]string {
		return map[string]string{"Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}", "templates/all.yaml": template}
	}
	return map[string]attempt{
		"KustomizeNamespace": {
			reason: "a namespace that the renderer sets is not the manifest's",
			files:  map[string]string{"kustomization.yaml": "namespace: blue\nresources: [a.yaml]\n", "a.yaml": harmless},
			says:   []string{notThere},
		},
		"JsonnetNamespace": {
			reason: "a program makes other objects than a reader sees",
			files:  map[string]string{"a.jsonnet": `[{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "settings", namespace: "bl" + "ue"}}]`},
			says:   []string{notThere},
		},
		"HelmNamespace": {
			reason: "the same, by a chart",
			files:  chart(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: {{ printf "%s%s" "bl" "ue" }} }}`),
			says:   []string{notThere},
		},
		"HelmLookup": {
			reason: "a chart reads whatever the engine may",
			files:  chart(`{apiVersion: v1, kind: ConfigMap, metadata: {name: found}, data: {secret: {{ lookup "v1" "Secret" "blue" "private" | toJson | quote }} }}`),
			play:   finds("found", "secret", "{}"),
		},
		"HelmFiles": {
			reason: "a chart reads files beside its own",
			files:  chart(`{apiVersion: v1, kind: ConfigMap, metadata: {name: found}, data: {file: {{ .Files.Get "../../../../../../etc/passwd" | quote }} }}`),
			play:   finds("found", "file", ""),
		},
		"SourceOverride": {
			reason: "a file beside the manifests changes what the Application is",
			files:  map[string]string{"a.yaml": harmless, ".argocd-source.yaml": "repoURL: $BLUE/blue.git\npath: shop\ntargetRevision: main\n"},
		},
	}
}

// reaches are attempts by what a source names besides itself.
func reaches() map[string]attempt {
	depends := func(repository string) map[string]string {
		return map[string]string{"Chart.yaml": `{apiVersion: v2, name: web, version: 1.0.0, dependencies: [{name: shop, version: 1.0.0, repository: "` + repository + `"}]}`, "templates/a.yaml": harmless}
	}
	base := func(resource string) map[string]string {
		return map[string]string{"kustomization.yaml": "resources: [\"" + resource + "\"]\n"}
	}
	return map[string]attempt{
		"RemoteBase":         {reason: "a base is read with a credential that the project has not", files: base("$BLUE/blue.git//shop?ref=main"), says: []string{"cannot read $BLUE/blue.git: host 127.0.0.1 is a private address", notAsked}},
		"RemoteBaseNamed":    {reason: "a name leads to a host of the engine's network", files: base("http://localhost:$PORT/blue.git//shop?ref=main"), says: []string{"host localhost has the private address", notAsked}},
		"RemoteBaseSpelled":  {reason: "a base is spelled as no repository is", files: base("git::$BLUE/blue.git//shop?ref=main"), says: []string{notAsked}},
		"RemoteFile":         {reason: "a single file of another host is fetched", files: base("$BLUE/shop/all.yaml"), says: []string{"cannot read value file $BLUE/shop/all.yaml: host 127.0.0.1 is a private address"}},
		"BaseOutside":        {reason: "a base outside of the repository is a file of the engine", files: base("../../../../../../etc"), says: []string{outside}},
		"ChartDependency":    {reason: "a dependency is read with a credential that the project has not", files: depends("$BLUE/charts"), says: []string{"cannot read $BLUE/charts: host 127.0.0.1 is a private address", notAsked}},
		"ChartDependencyOCI": {reason: "the same, from a registry", files: depends("oci://127.0.0.1:$PORT/charts"), says: []string{"host 127.0.0.1 is a private address", notAsked}},
		"ChartDependencyFile": {
			reason: "a dependency outside of the repository is a file of the engine", files: depends("file://../../../../../../etc"), says: []string{outside},
		},
		"RemoteBaseFolded": {
			reason: "the library takes a folder for a repository, and runs git",
			files:  map[string]string{"kustomization.yaml": "components: [\"gİthub.com/evil/repo?timeout=99h\"]\n", "gİthub.com/evil/repo?timeout=99h/kustomization.yaml": "{apiVersion: kustomize.config.k8s.io/v1alpha1, kind: Component}\n"},
			says:   []string{"gİthub.com/evil/repo?timeout=99h is an address that is not read"},
		},
		"KustomizeHelmChart": {
			reason: "a kustomization fetches charts by itself",
			files:  map[string]string{"kustomization.yaml": "helmCharts: [{name: shop, repo: \"$BLUE/charts\", version: 1.0.0, releaseName: shop}]\n"},
			says:   []string{"it has Helm charts, which are not allowed"},
		},
		"KustomizeProgram": {
			reason: "a kustomization starts a program",
			files: map[string]string{
				"kustomization.yaml": "generators: [gen.yaml]\n",
				"gen.yaml":           "apiVersion: v1\nkind: Anything\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: $TRAP}\n",
			},
			says: []string{"plugin that runs a program"},
		},
		"KustomizeFile": {
			reason: "a generator reads a file of the engine",
			files:  map[string]string{"kustomization.yaml": "configMapGenerator: [{name: found, files: [/etc/passwd]}]\n"},
			says:   []string{"/etc/passwd " + outside},
		},
		"JsonnetImport": {
			reason: "an import reads a file of the engine",
			files:  map[string]string{"a.jsonnet": `{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "found"}, data: {f: importstr "../../../../../../etc/passwd"}}`},
			says:   []string{"cannot find import ../../../../../../etc/passwd"},
		},
		"LinkToFile": {reason: "a link reads a file of the engine", files: map[string]string{"a.yaml": linkTo + "/etc/passwd"}, says: []string{"a.yaml\" " + leadsOut}},
		"LinkToFolder": {
			reason: "a link leads out of the repository", files: map[string]string{"a.yaml": harmless, "more": linkTo + "../../../../../.."},
			app:  func(_ *stage, a *v1alpha1.Application) { a.Spec.Source.Path += "/more" },
			says: []string{"more\" " + leadsOut},
		},
		"LinkedValues": {
			reason: "values are read through a link",
			files:  map[string]string{"Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}", "values.yaml": linkTo + "/proc/self/environ", "templates/a.yaml": harmless},
			says:   []string{"values.yaml\" " + leadsOut},
		},
	}
}
