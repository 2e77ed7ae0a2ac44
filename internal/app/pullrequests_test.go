package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/webhook"
)

// gitHost is a Git host whose pull requests a test changes.
type gitHost struct {
	mu    sync.Mutex
	pulls []gitops.PullRequest
	err   error
	asked int
}

func (h *gitHost) Forge(context.Context, string, *v1alpha1.SCMProviderGenerator) (generate.Forge, error) {
	return nil, errors.New("no forge here")
}

func (h *gitHost) Reviews(context.Context, string, *v1alpha1.PullRequestGenerator) (generate.Reviews, error) {
	return h, nil
}

func (h *gitHost) PullRequests(context.Context) ([]gitops.PullRequest, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	return h.pulls, h.err
}

func (h *gitHost) now(err error, pulls ...gitops.PullRequest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pulls, h.err = pulls, err
}

func (h *gitHost) times() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

func pull(number int64, sha string) gitops.PullRequest {
	return gitops.PullRequest{Number: number, Branch: "feature", TargetBranch: "main", HeadSHA: strings.Repeat(sha, 40)}
}

// set creates an ApplicationSet whose Applications show a text as a value.
func (e *engine) set(name, generators, app, show string) {
	e.t.Helper()
	e.setOf("default", name, generators, app, show)
}

// setOf creates one whose Applications belong to a project.
func (e *engine) setOf(project, name, generators, app, show string) {
	e.t.Helper()
	text := fmt.Sprintf(`
metadata: {name: %s, namespace: %s}
spec:
  generators: %s
  template:
    metadata: {name: '%s-%s'}
    spec:
      project: %s
      source: {repoURL: %s, path: app, helm: {values: 'shows: %s'}}
      destination: {server: https://kubernetes.default.svc, namespace: default}
`, name, e.namespace, generators, e.namespace, app, project, repoURL, show)
	set := &v1alpha1.ApplicationSet{}
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		e.t.Fatal(err)
	}
	if err := e.Create(e.t.Context(), set); err != nil {
		e.t.Fatal(err)
	}
}

func (e *engine) untilShows(app, text string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		got, err := e.generated(app)
		if err == nil && got.Spec.Source.Helm.Values != "shows: "+text {
			err = fmt.Errorf("values are %q, want %q", got.Spec.Source.Helm.Values, text)
		}
		return err
	})
}

func (e *engine) untilGone(app string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		got, err := e.generated(app)
		if apierrors.IsNotFound(err) || err == nil && !got.DeletionTimestamp.IsZero() {
			return nil
		}
		return fmt.Errorf("application %s is still there: %w", app, err)
	})
}

// untilSetFails waits until a set's error holds a text.
func (e *engine) untilSetFails(name, text string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		now := &v1alpha1.ApplicationSet{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, now); err != nil {
			return err
		}
		for _, c := range now.Status.Conditions {
			if c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && c.Status == v1alpha1.ApplicationSetConditionStatusTrue && strings.Contains(c.Message, text) {
				return nil
			}
		}
		return fmt.Errorf("conditions are %v", now.Status.Conditions)
	})
}

// tell sends a signed event of GitHub about a pull request.
func (e *engine) tell(hook, repo, secret string) int {
	e.t.Helper()
	body := fmt.Sprintf(`{"action": "synchronize", "repository": {"full_name": "org/%s", "html_url": "https://github.com/org/%s"}}`, repo, repo)
	req, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, hook+"/api/webhook", strings.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	req.Header.Set("X-Github-Event", "pull_request")
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}

// TestPullRequestEnvironment uses half an hour between two looks at the host,
// so that nothing but the webhook can bring the news.
func TestPullRequestEnvironment(t *testing.T) {
	host := &gitHost{}
	host.now(nil, pull(1, "a"))
	e := prepare(t, hubConfig, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	const secret = "not to be guessed"
	err := e.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: webhook.SigningSecret, Namespace: e.namespace}, StringData: map[string]string{"webhook.github.secret": secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.adjust = func(c *Config) { c.GitHosts = host }
	e.restart()
	hook := httptest.NewServer(e.routes(t.Context()))
	t.Cleanup(hook.Close)
	tell := func(repo, with string, want int) {
		t.Helper()
		if code := e.tell(hook.URL, repo, with); code != want {
			t.Fatalf("the webhook was answered %d, want %d", code, want)
		}
	}
	e.set("previews", "[{pullRequest: {github: {owner: org, repo: web}, requeueAfterSeconds: 1800}}]", "pr-{{number}}", "{{head_short_sha}}")
	e.untilShows("pr-1", "aaaaaaaa")

	host.now(nil, pull(1, "b"), pull(2, "c"))
	tell("web", "a guess", http.StatusUnauthorized)
	tell("web", secret, http.StatusOK)
	e.untilShows("pr-1", "bbbbbbbb")
	e.untilShows("pr-2", "cccccccc")

	host.now(errors.New("connection refused"))
	tell("web", secret, http.StatusOK)
	e.untilSetFails("previews", "connection refused")
	e.untilShows("pr-1", "bbbbbbbb")
	e.untilShows("pr-2", "cccccccc")

	host.now(nil, pull(2, "c")) // found by trying again
	e.untilGone("pr-1")
	e.untilShows("pr-2", "cccccccc")
}

func TestPullRequestsAreLookedForAgain(t *testing.T) {
	host := &gitHost{}
	e := prepare(t, hubConfig, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	e.adjust = func(c *Config) { c.GitHosts = host }
	e.restart()
	e.set("previews", "[{matrix: {generators: [{list: {elements: [{a: b}]}}, {pullRequest: {github: {owner: org, repo: web}, requeueAfterSeconds: 1}}]}}]", "pr-{{number}}", "v")
	embeddedtest.Eventually(t, func(context.Context) error {
		host.mu.Lock()
		defer host.mu.Unlock()
		if host.asked < 2 {
			return fmt.Errorf("the host was asked %d times", host.asked)
		}
		return nil
	})
	host.now(nil, pull(3, "d"))
	e.untilShows("pr-3", "v")
}

// TestRefreshOfASet uses half an hour between two looks at the host, so that
// nothing but the annotation can bring the news. Who looks at the set has its
// host asked for nothing that is known.
func TestRefreshOfASet(t *testing.T) {
	host := &gitHost{}
	host.now(nil, pull(1, "a"))
	e := prepare(t, hubConfig, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	e.adjust = func(c *Config) { c.GitHosts = host }
	e.restart()
	e.set("previews", "[{matrix: {generators: [{list: {elements: [{repo: web}]}}, {pullRequest: {github: {owner: org, repo: '{{repo}}'}, requeueAfterSeconds: 1800}}]}}]", "pr-{{number}}", "{{head_short_sha}}")
	e.untilShows("pr-1", "aaaaaaaa")

	asked := host.times()
	set := &v1alpha1.ApplicationSet{}
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "previews"}, set); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		out, err := e.inspector().Expand(t.Context(), set, api.SetLook{Limit: 9, Sees: func(*api.GeneratedApp) bool { return true }})
		if err != nil || len(out.Applications) != 1 || out.Applications[0].Name != e.namespace+"-pr-1" {
			t.Errorf("who looks at the set is shown %+v, %v", out, err)
		}
	}
	if now := host.times() - asked; now != 0 {
		t.Errorf("the host was asked %d times because somebody looked", now)
	}

	host.now(nil, pull(1, "b"))
	e.refresh("previews")
	e.untilShows("pr-1", "bbbbbbbb")

	host.now(errors.New("connection refused"))
	e.refresh("previews")
	e.untilSetFails("previews", "connection refused")
	e.untilShows("pr-1", "bbbbbbbb")
}

// refresh asks for a refresh of a set, and waits until that was done.
func (e *engine) refresh(name string) {
	e.t.Helper()
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: name}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"annotations": {"argocd.argoproj.io/application-set-refresh": "true"}}}`))
	if err := e.Patch(e.t.Context(), set, patch); err != nil {
		e.t.Fatal(err)
	}
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
		if value, left := set.Annotations[v1alpha1.AnnotationApplicationSetRefresh]; left {
			return fmt.Errorf("the annotation is still there: %q", value)
		}
		return nil
	})
}

func TestHostsThatAreOff(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.adjust = func(c *Config) { c.GitHosts, c.NoHosts = &gitHost{}, true }
	e.restart()
	e.set("previews", "[{pullRequest: {github: {owner: org, repo: web}}}]", "pr-{{number}}", "v")
	e.untilSetFails("previews", "may not ask Git hosts")
	_, found := e.looked("previews")
	if !strings.Contains(found.Problem, "may not ask Git hosts") {
		t.Errorf("who looks at the set is told %q", found.Problem)
	}
}

const duckCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ducks.mallard.io}
spec:
  group: mallard.io
  names: {kind: Duck, plural: ducks, singular: duck, listKind: DuckList}
  scope: Namespaced
  versions:
    - name: v1beta1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

func (e *engine) createYAML(text string) {
	e.t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		e.t.Fatal(err)
	}
	if err := e.Create(e.t.Context(), o); err != nil && !apierrors.IsAlreadyExists(err) {
		e.t.Fatal(err)
	}
}

func TestDecisionsAndPlugins(t *testing.T) {
	plugin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"output": map[string]any{"parameters": []any{map[string]any{"color": "blue"}}}})
	}))
	t.Cleanup(plugin.Close)
	e := start(t, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	e.createYAML(duckCRD)
	in := "namespace: " + e.namespace
	e.createYAML("{apiVersion: v1, kind: ConfigMap, metadata: {name: duck, " + in + "}, data: {apiVersion: mallard.io/v1beta1, kind: ducks, statusListKey: decisions, matchKey: clusterName}}")
	e.createYAML("{apiVersion: v1, kind: ConfigMap, metadata: {name: plug, " + in + "}, data: {baseUrl: '" + plugin.URL + "', token: '$plug:key'}}")
	e.createYAML("{apiVersion: v1, kind: Secret, metadata: {name: plug, " + in + "}, stringData: {key: s3cret}}")
	e.set("decided", "[{matrix: {generators: [{clusterDecisionResource: {configMapRef: duck, labelSelector: {matchLabels: {duck: spotted}}, requeueAfterSeconds: 1}}, {plugin: {configMapRef: {name: plug}}}]}}]",
		"{{name}}", "{{color}} {{zone}}")
	e.untilSetFails("decided", "no object of kind ducks")

	embeddedtest.Eventually(t, func(ctx context.Context) error {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte("{apiVersion: mallard.io/v1beta1, kind: Duck, metadata: {name: quak, labels: {duck: spotted}, "+in+"}, status: {decisions: [{clusterName: in-cluster, zone: a}]}}"), &o.Object); err != nil {
			return err
		}
		return client.IgnoreAlreadyExists(e.Create(ctx, o))
	})
	e.untilShows("in-cluster", "blue a")
}

// TestPullRequestsOfGitHub asks a server that answers as GitHub does, and that
// nobody but the installation's ConfigMap trusts.
func TestPullRequestsOfGitHub(t *testing.T) {
	github := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer s3cret" || !strings.HasSuffix(r.URL.Path, "/repos/org/web/pulls") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, `[{"number": 4, "title": "t", "user": {"login": "ann"}, "head": {"ref": "feature", "sha": %q}, "base": {"ref": "main"}}]`, strings.Repeat("e", 40))
	}))
	t.Cleanup(github.Close)
	e := prepare(t, hubConfig, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	e.certificate("127.0.0.1", certificateOf(github))
	e.adjust = func(c *Config) { c.AllowedHosts = []string{github.URL} }
	e.restart()
	e.createYAML("{apiVersion: v1, kind: Secret, metadata: {name: tokens, namespace: " + e.namespace + "}, stringData: {github: s3cret}}")
	pulls := "[{pullRequest: {github: {owner: org, repo: web, api: '%s', tokenRef: {secretName: tokens, key: %s}}}}]"
	e.set("previews", fmt.Sprintf(pulls, github.URL, "github"), "pr-{{number}}", "{{head_short_sha_7}}")
	e.untilShows("pr-4", "eeeeeee")
	e.set("elsewhere", fmt.Sprintf(pulls, "https://evil.example.com", "github"), "pr-{{number}}", "v")
	e.untilSetFails("elsewhere", "not allowed")
	e.set("keyless", fmt.Sprintf(pulls, github.URL, "gitlab"), "pr-{{number}}", "v")
	e.untilSetFails("keyless", `has no key "gitlab"`)
}
