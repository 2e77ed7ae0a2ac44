package breakout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// sets are attempts by ApplicationSets: of who writes files that one of the operator's reads for red, and of who writes
// sets, and what says it is a set's, in a namespace of red's.
func sets() map[string]attempt {
	out := map[string]attempt{}
	for _, some := range []map[string]attempt{filesOfSets(), ownSets(), owned()} {
		maps.Copy(out, some)
	}
	return out
}

// made is the Application that the operator means red's file to become.
const made = "red-made"

// creates is how the engine finds out that a name is taken.
const creates = "create /apis/argoproj.io/v1alpha1/namespaces/argocd/applications"

// template is the operator's. It leaves all to the file but the project.
const template = `{metadata: {name: "{{.name}}"}, spec: {project: red, source: {repoURL: "{{.repo}}", path: "{{.folder}}", targetRevision: main},
 destination: {server: "{{.server}}", namespace: "{{.namespace}}"}, syncPolicy: {automated: {}}}}`

// noted is a patch of the operator's with a text that the file has, which nothing quotes.
const noted = `, templatePatch: "metadata:\n  annotations:\n    note: {{.note}}\n"`

// guarded is such a patch in which the text stands before a guard.
const guarded = `, templatePatch: "metadata: {annotations: {note: {{.note}}, causeway.io/deletion-guard: 20%}}"`

// ledByFile is a generator of that file, and one of the repository that it names.
const ledByFile = `{matrix: {generators: [` + ownFile + `, {git: {repoURL: "{{.repo}}", revision: main, directories: [{path: "*"}]}}]}}`

// notItsProjects is what a set says of where the project of its template does not let a file lead it.
const notItsProjects = `cannot read the repository of the git generator: cannot use repository $BLUE/blue.git: project "red" does not permit it`

// ownFile is a generator of the file that the attempt has.
const ownFile = `{git: {repoURL: "$RED/red.git", revision: main, files: [{path: $FOLDER/set.yaml}]}}`

// filesOfSets are attempts by what a file says that a set of the operator's reads for red.
func filesOfSets() map[string]attempt {
	given := func(reason, key, value string, says ...string) attempt {
		return attempt{reason: reason, files: parameters(key, value), play: reads(ownFile, ""), says: says}
	}
	patched := func(reason, note string, says ...string) attempt {
		return attempt{reason: reason, files: parameters("note", note), play: reads(ownFile, noted), says: says}
	}
	taken := func(a attempt) attempt {
		a.looks = []string{creates}
		return a
	}
	return map[string]attempt{
		"FileNamesApplicationOfBlue":   taken(given("a set takes over the Application whose name a file has", "name", "till", `there is one of that name, of project "blue", which no set owns`)),
		"FileNamesApplicationOfItsSet": taken(given("a set takes an Application away from another one", "name", "stand", "ApplicationSet stands owns one of that name")),
		"FileNamesPath":                given("a name leads to another path of the API", "name", "../../blue-apps/applications/shop", `Application "../../blue-apps/applications/shop" is not valid`),
		"FileNamesNamespaceOfBlue":     given("a destination that a set makes is the operator's", "namespace", blueNS, noDestination),
		"FileNamesNamespaceOfTheHub":   given("the same, of the engine's own namespace", "namespace", control, noDestination),
		"FileNamesClusterOfBlue":       given("the same, of blue's cluster", "server", "$HUB", noDestination),
		"FileNamesRepositoryOfBlue":    given("a source that a set makes is the operator's", "repo", "$BLUE/blue.git", noSource),
		"FileHasTemplate":              given("what a file says is a template once more", "namespace", "{{.server}}", "cannot deploy to namespace \"{{.server}}\"", noDestination),
		"FileMovesProject":             patched("a text becomes keys of the patch that it is in, and changes the project", "x\nspec: {project: blue, destination: {namespace: blue}}", noDestination),
		"FileMovesName": taken(patched("such keys give the Application another name, namespace and owner",
			"x\n  name: till\n  namespace: blue-apps\n  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: x}]", `there is one of that name, of project "blue", which no set owns`)),
		"FileBringsOperation": patched("such keys are an operation that the engine asks for itself",
			"x\noperation: {initiatedBy: {automated: true, username: applicationset-controller}, sync: {source: {repoURL: \"$BLUE/blue.git\", path: shop}}}", noSource),
		"FileForgetsBlues": taken(attempt{
			reason: "a set deletes the Application that its file named, and names no more",
			files:  parameters("name", "till"),
			play:   forgets,
			says:   []string{`there is one of that name, of project "blue", which no set owns`},
		}),
		"FileBringsFinalizer": {
			reason: "what a set deletes runs hooks that its file has brought",
			files:  parameters("note", "x\n  finalizers: [pre-delete-finalizer.argocd.argoproj.io, resources-finalizer.argocd.argoproj.io]", "folder", slug("HookPreDelete")),
			play:   deletesBySet,
			says:   []string{"cannot run the PreDelete hooks", notThere},
		},
		"FileMergesClusterOfBlue": {
			reason: "a file brings the parameters of blue's cluster, whose server it has as the key to merge by",
			files:  parameters("server", "$HUB"),
			play:   reads(`{merge: {mergeKeys: [server], generators: [{clusters: {}}, `+ownFile+`]}, selector: {matchExpressions: [{key: folder, operator: Exists}]}}`, ""),
			says:   []string{noDestination},
		},
		"FileLeadsGeneratorToBlue": {
			reason: "a generator lists the repository whose address the generator before it has found",
			files:  parameters("repo", "$BLUE/blue.git"),
			play:   reads(ledByFile, ""),
			says:   []string{notItsProjects},
		},
		"FileLeadsGeneratorWithOperatorsSecret": {
			reason: "such a generator reads with what the operator has given for all projects",
			files:  parameters("repo", "$BLUE/blue.git"),
			play: func(s *stage) {
				s.opensAll()
				reads(ledByFile, "")(s)
			},
			says: []string{notItsProjects},
		},
		"FileSteersTheEngine": {
			reason: "a text becomes annotations that switch off the guard, and tell of others' Applications",
			files:  parameters("note", "x\n    causeway.io/deletion-guard: \"off\"\n    causeway.io/depends-on: Application/till\n    argocd.argoproj.io/deletion-approved: now"),
			play: func(s *stage) {
				set := s.operators(ownFile, noted)
				for key := range s.untilDone().Annotations {
					if gitops.OwnAnnotation(key) {
						s.t.Errorf("lost: %s: it has %s", s.reason, key)
					}
				}
				s.drop(set)
			},
		},
		"FileSwallowsTheGuard": {
			reason: "a text ends what the operator's guard stands in, and has another one there",
			files:  parameters("note", "x, causeway.io/deletion-guard: \"off\"}} #"),
			play:   reads(ownFile, guarded),
			says:   []string{"a parameter that is not quoted may change the annotation causeway.io/deletion-guard"},
		},
		"SetInManifest": {
			reason: "a set that the engine makes in its own namespace is the operator's",
			files: one(`{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: red-set, namespace: argocd},
 spec: {generators: [{list: {elements: [{a: b}]}}], template: {metadata: {name: red-child}, spec: {project: default, destination: {name: in-cluster, namespace: blue}}}}}`),
			says: []string{notControl},
		},
	}
}

// parameters are a file for a set: what the operator means it to have, but for some keys.
func parameters(instead ...string) map[string]string {
	all := map[string]string{"name": made, "repo": "$RED/red.git", "folder": "honest", "server": inCluster, "namespace": redNS, "note": "none"}
	for pair := range slices.Chunk(instead, 2) {
		all[pair[0]] = pair[1]
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, "%s: %s\n", key, strconv.Quote(all[key]))
	}
	return map[string]string{"set.yaml": text.String()}
}

// reads has a set of the operator's read the file of the attempt, until it, or what it has made, says what it is to say.
func reads(generator, more string) func(*stage) {
	return func(s *stage) {
		s.t.Helper()
		set := s.operators(generator, more)
		s.untilSetSays(set)
		s.drop(set)
	}
}

// forgets takes everything out of the file once the set has been refused, and waits until the set knows.
func forgets(s *stage) {
	s.t.Helper()
	folder := s.name
	set := s.operators(ownFile, "")
	s.untilSetSays(set)
	s.red.commit(s.t, map[string]string{folder + "/set.yaml": "[]\n"})
	refresh := client.MergeFrom(set.DeepCopy())
	set.Annotations = map[string]string{v1alpha1.AnnotationApplicationSetRefresh: "true"}
	if err := s.Patch(s.t.Context(), set, refresh); err != nil {
		s.t.Fatal(err)
	}
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		now := &v1alpha1.ApplicationSet{}
		if err := s.Get(ctx, client.ObjectKeyFromObject(set), now); err != nil {
			return err
		}
		if text := toldBy(now); text == "" || strings.Contains(text, "till") || len(now.Annotations) > 0 {
			return fmt.Errorf("the set has not forgotten the name: %s", text)
		}
		return nil
	})
	s.drop(set)
}

// deletesBySet deletes a set, and so what it has made.
func deletesBySet(s *stage) {
	s.t.Helper()
	set := s.operators(ownFile, noted)
	s.untilDone()
	if err := s.Delete(s.t.Context(), set); err != nil {
		s.t.Fatal(err)
	}
	a := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: s.name, Namespace: s.among}}
	if err := client.IgnoreNotFound(s.Delete(s.t.Context(), a)); err != nil { // the API server may not have collected it yet
		s.t.Fatal(err)
	}
	s.untilSays(s.says...)
	s.remove()
}

// operators has a set of the operator's, who means it for red. From then on the attempt's Application is what it makes.
func (s *stage) operators(generator, more string) *v1alpha1.ApplicationSet {
	s.t.Helper()
	return s.means(generator, template+more)
}

// means is operators with another template.
func (s *stage) means(generator, template string) *v1alpha1.ApplicationSet {
	s.t.Helper()
	set := s.set(control, `{generators: [`+generator+`], goTemplate: true, template: `+template+`}`)
	set.Name = "red-" + s.name
	s.name, s.among = made, control
	s.have(set)
	return set
}

// opensAll has a credential of the operator's for all of blue's server, and for whichever project.
func (s *stage) opensAll() {
	s.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "red-" + s.name, Namespace: control, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepoCreds}}}
	secret.StringData = map[string]string{"type": "git", "url": s.blue.URL, "username": s.blue.name, "password": s.blue.password}
	s.have(secret)
}

// set is an ApplicationSet of a text.
func (s *stage) set(namespace, spec string) *v1alpha1.ApplicationSet {
	s.t.Helper()
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: s.name, Namespace: namespace}}
	if err := yaml.UnmarshalStrict([]byte(s.fill(strings.ReplaceAll(spec, "$FOLDER", s.name))), &set.Spec); err != nil {
		s.t.Fatalf("%v in %s", err, spec)
	}
	return set
}

// toldBy is what the conditions of a set say.
func toldBy(set *v1alpha1.ApplicationSet) string {
	var out strings.Builder
	for _, c := range set.Status.Conditions {
		fmt.Fprintf(&out, "%s %s: %s\n", c.Type, c.Status, c.Message)
	}
	return out.String()
}

// untilSetSays waits until the set, with what it has made, says words.
func (s *stage) untilSetSays(set *v1alpha1.ApplicationSet) {
	s.t.Helper()
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		now, app := &v1alpha1.ApplicationSet{}, &v1alpha1.Application{}
		err := errors.Join(s.Get(ctx, client.ObjectKeyFromObject(set), now), client.IgnoreNotFound(s.Get(ctx, s.key(), app)))
		text := toldBy(now) + said(app)
		if err == nil && (app.Operation != nil || slices.ContainsFunc(s.says, func(w string) bool { return !strings.Contains(text, s.fill(w)) })) {
			err = fmt.Errorf("neither the set nor its Application says %q: %s", s.says, text)
		}
		return err
	})
}

// drop deletes a set, and what it has made.
func (s *stage) drop(set *v1alpha1.ApplicationSet) {
	s.t.Helper()
	if err := s.Delete(s.t.Context(), set); err != nil {
		s.t.Fatal(err)
	}
	s.remove()
}

// ownSets are sets in red's namespace of Applications, where the engine reads none.
func ownSets() map[string]attempt {
	const blues = `spec: {project: blue, source: {repoURL: "$BLUE/blue.git", path: shop, targetRevision: main}, destination: {name: in-cluster, namespace: blue}}`
	const each = `goTemplate: true, template: {metadata: {name: "red-{{.name}}"}, ` + blues + `}`
	const hosts = `{api: "$RED", owner: red, tokenRef: {secretName: blue-repo, key: password}}`
	written := func(reason, spec string) attempt { return attempt{reason: reason, play: unread(spec)} }
	return map[string]attempt{
		"SetOfBluesProject":    written("a set in whatever namespace makes Applications of whatever project", `{generators: [{list: {elements: [{name: child}]}}], `+each+`}`),
		"SetOfBluesName":       written("a set makes an Application of blue's name", `{generators: [{list: {elements: [{name: shop}]}}], template: {metadata: {name: shop}, `+blues+`}}`),
		"SetThatPatches":       written("a patch moves to blue's project what the template has in red's", `{generators: [{list: {elements: [{name: child}]}}], goTemplate: true, template: {metadata: {name: child}, spec: {project: red, destination: {}}}, templatePatch: "spec: {project: blue}"}`),
		"SetOfClusters":        written("names of Applications tell which clusters blue has, and their labels", `{generators: [{clusters: {}}], `+each+`}`),
		"SetOfBluesRepository": written("a generator reads blue's repository with its credential", `{generators: [{git: {repoURL: "$BLUE/blue.git", revision: main, directories: [{path: "*"}]}}], goTemplate: true, template: {metadata: {name: "{{.path.basename}}"}, `+blues+`}}`),
		"SetOfRepositories":    written("a token of another team is sent to a host of red's", `{generators: [{scmProvider: {gitea: `+hosts+`}}], `+each+`}`),
		"SetOfPullRequests":    written("the same, for pull requests", `{generators: [{pullRequest: {gitea: {api: "$RED", owner: red, repo: red, tokenRef: {secretName: blue-repo, key: password}}}}], `+each+`}`),
		"SetOfAPlugin": {
			reason: "the same, for a plugin, whose ConfigMap names the Secret",
			play: func(s *stage) {
				settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: s.name, Namespace: redApps}}
				settings.Data = map[string]string{"baseUrl": s.red.URL, "token": "$blue-repo:password"}
				s.have(settings)
				unread(`{generators: [{plugin: {configMapRef: {name: ` + s.name + `}}}], ` + each + `}`)(s)
			},
		},
		"SetThatMerges": written("a merge brings what blue's cluster has into red's parameters", `{generators: [{merge: {mergeKeys: [name], generators: [{clusters: {}}, {list: {elements: [{name: blues-cluster}]}}]}}], `+each+`}`),
		"SetThatDeletes": written("a set that makes nothing more deletes what has the names that it made",
			`{generators: [{list: {elements: []}}], syncPolicy: {preserveResourcesOnDeletion: false, applicationsSync: sync}, template: {metadata: {name: shop, finalizers: [resources-finalizer.argocd.argoproj.io]}, `+blues+`}}`),
	}
}

// unread writes a set into red's namespace of Applications, and has the engine do some work of red's after it: the set has
// made nothing, nobody has looked at it, and no credential came to red's server.
func unread(spec string) func(*stage) {
	return func(s *stage) {
		s.t.Helper()
		s.red.take()
		set := s.set(redApps, spec)
		s.have(set)
		s.create()
		s.untilDone()
		s.remove()
		if err := s.Get(s.t.Context(), client.ObjectKeyFromObject(set), set); err != nil {
			s.t.Fatal(err)
		}
		if text := toldBy(set); text != "" || len(set.Status.Resources) > 0 {
			s.t.Errorf("lost: %s: the set is read: %s", s.reason, text)
		}
		all := &v1alpha1.ApplicationList{}
		if err := s.List(s.t.Context(), all, client.InNamespace(redApps)); err != nil {
			s.t.Fatal(err)
		}
		for i := range all.Items {
			s.t.Errorf("lost: %s: there is an Application %s", s.reason, all.Items[i].Name)
		}
		for _, asked := range s.red.take() {
			if strings.Contains(asked, signedIn) {
				s.t.Errorf("lost: %s: red's server was asked to %s", s.reason, asked)
			}
		}
	}
}

// owned are Applications of red's that say whose they are.
func owned() map[string]attempt {
	yes := true
	by := func(reason, kind, namespace, name string) attempt {
		return attempt{reason: reason, play: func(s *stage) {
			owner := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: kind}}
			if err := s.Get(s.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, owner); err != nil {
				s.t.Fatal(err)
			}
			s.app = func(_ *stage, a *v1alpha1.Application) {
				a.OwnerReferences = []metav1.OwnerReference{{APIVersion: owner.APIVersion, Kind: kind, Name: name, UID: owner.UID, Controller: &yes, BlockOwnerDeletion: &yes}}
			}
			s.create()
			s.untilDoneOrGone()
			s.remove()
		}}
	}
	return map[string]attempt{
		"OwnedBySetOfBlue":         by("a set counts, changes and deletes what says that it is the set's, and says that it is well or not", "ApplicationSet", control, "stands"),
		"OwnedByApplicationOfBlue": by("an Application that says blue's owns it is blue's", "Application", blueApps, "shop"),
	}
}

// untilDoneOrGone waits until the Application has synced, or the API server has collected it because its owner is not in
// its namespace.
func (s *stage) untilDoneOrGone() {
	s.t.Helper()
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		a := &v1alpha1.Application{}
		if err := s.Get(ctx, s.key(), a); err != nil {
			return client.IgnoreNotFound(err)
		}
		if a.Status.Sync.Status != v1alpha1.SyncStatusCodeSynced && a.DeletionTimestamp.IsZero() {
			return fmt.Errorf("application %s is neither synced nor gone: %s", s.name, said(a))
		}
		return nil
	})
}
