package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/remotecommand"

	v1alpha1 "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// foreign is a cluster of somebody who has it answer as they like.
type foreign struct {
	*httptest.Server

	// answers stands in for the API server, where which says so.
	answers atomic.Pointer[http.HandlerFunc]
	which   func(*http.Request) bool
}

func newForeign(t *testing.T) *foreign {
	t.Helper()
	s, proxy := &foreign{which: everything}, front(t)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if own := s.answers.Load(); own != nil && s.which(r) {
			(*own)(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(func() { embeddedtest.Shut(s.Server) })
	return s
}

func (s *foreign) answer(f http.HandlerFunc) { s.answers.Store(&f) }

func (s *foreign) cluster(t *testing.T) *Cluster {
	t.Helper()
	f, _ := newFleet(t, config)
	d := gitops.Cluster{Name: "foreign", Server: s.URL, Secret: "foreign"}
	if err := f.Set(t.Context(), d, insecure(d.Server)); err != nil {
		t.Fatal(err)
	}
	c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: "foreign"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// withoutEnd answers with far more than anybody asked for, in little on the way.
func withoutEnd(t *testing.T) http.HandlerFunc {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 64 {
		if _, err := z.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
}

// questions are one of each client that there is of a cluster.
func questions(t *testing.T, c *Cluster) map[string]func(context.Context) error {
	t.Helper()
	acting := c.RESTConfig()
	acting.Impersonate.UserName = "somebody"
	typed, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	as, err := dynamic.NewForConfig(acting)
	if err != nil {
		t.Fatal(err)
	}
	maps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	nodes := schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	return map[string]func(context.Context) error{
		"Get": func(ctx context.Context) error {
			_, err := c.dynamic.Resource(maps).Namespace("default").Get(ctx, "a", metav1.GetOptions{})
			return err
		},
		"Patch": func(ctx context.Context) error {
			_, err := as.Resource(maps).Namespace("default").Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{})
			return err
		},
		"Metadata": func(ctx context.Context) error {
			_, err := c.metadata.Resource(nodes).List(ctx, metav1.ListOptions{Limit: 500})
			return err
		},
		"MetadataWatch": func(ctx context.Context) error {
			w, err := c.metadata.Resource(nodes).Watch(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			defer w.Stop()
			for e := range w.ResultChan() {
				return fmt.Errorf("an event of type %s: %v", e.Type, e.Object)
			}
			return errors.New("the watch ended")
		},
		"Raw":       func(ctx context.Context) error { return c.raw.Get().AbsPath("/version").Do(ctx).Error() },
		"Discovery": func(ctx context.Context) error { _, err := c.catalog.refresh(ctx); return err },
		"List":      func(ctx context.Context) error { _, err := c.List(ctx, configMaps, "default"); return err },
		"Answers":   func(ctx context.Context) error { return c.Answers(ctx) },
		"Events": func(ctx context.Context) error {
			_, err := typed.CoreV1().Events("default").List(ctx, metav1.ListOptions{Limit: 10})
			return err
		},
		"Probe": func(ctx context.Context) error { return c.link.probe(ctx) },
	}
}

// TestAnswersWithoutEnd has a cluster whose answers are bombs.
func TestAnswersWithoutEnd(t *testing.T) {
	s := newForeign(t)
	c := s.cluster(t)
	embeddedtest.Eventually(t, func(ctx context.Context) error { _, err := c.Facts(ctx); return err })
	asking := questions(t, c)
	s.answer(withoutEnd(t))
	for name, ask := range asking {
		err := ask(t.Context())
		if err == nil || !strings.Contains(err.Error(), "cluster foreign answers") || !strings.Contains(err.Error(), "MiB") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestFirstAnswerWithoutEnd has one that is a bomb before anything is known of it.
func TestFirstAnswerWithoutEnd(t *testing.T) {
	s := newForeign(t)
	s.answer(withoutEnd(t))
	c := s.cluster(t)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		_, err := c.Facts(ctx)
		if err == nil || !strings.Contains(err.Error(), "cluster foreign answers GET /version with more than 1 MiB") {
			return fmt.Errorf("got %w", err)
		}
		problemOf(t, err, gitops.Unreachable)
		return nil
	})
	if st := c.State(); st.Reachable {
		t.Errorf("state is %+v", st)
	}
}

// TestRedirectsAreNotFollowed has a cluster that leads the engine to a server
// which only the engine reaches.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var arrived atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived.Add(1)
		http.Error(w, "the secret of the inside", http.StatusInternalServerError)
	}))
	t.Cleanup(func() { embeddedtest.Shut(inside) })
	s := newForeign(t)
	c := s.cluster(t)
	embeddedtest.Eventually(t, func(ctx context.Context) error { _, err := c.Facts(ctx); return err })
	asking := questions(t, c)
	typed, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	asking["Log"] = func(ctx context.Context) error {
		log, err := typed.CoreV1().Pods("default").GetLogs("a", &corev1.PodLogOptions{Follow: true}).Stream(ctx)
		if err == nil {
			_, err = io.Copy(io.Discard, log)
		}
		return err
	}
	for name, open := range map[string]func(*url.URL) (remotecommand.Executor, error){
		"SPDY": func(u *url.URL) (remotecommand.Executor, error) {
			return remotecommand.NewSPDYExecutor(c.RESTConfig(), http.MethodPost, u)
		},
		"WebSocket": func(u *url.URL) (remotecommand.Executor, error) {
			return remotecommand.NewWebSocketExecutor(c.RESTConfig(), http.MethodGet, u.String())
		},
	} {
		asking[name] = func(ctx context.Context) error {
			e, err := open(typed.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("a").SubResource("exec").URL())
			if err != nil {
				return err
			}
			return e.StreamWithContext(Past(ctx), remotecommand.StreamOptions{Stdin: strings.NewReader("id"), Stdout: io.Discard})
		}
	}
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL+"/v1/token", http.StatusTemporaryRedirect)
	})
	for name, ask := range asking {
		err := ask(t.Context())
		says := fmt.Sprintf("to %q, and no redirect of a cluster is followed", inside.URL)
		if name == "WebSocket" {
			says = "307" // its own dialer follows none
		}
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "the secret") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if n := arrived.Load(); n != 0 {
		t.Errorf("%d requests arrived where the redirects lead", n)
	}
	if st := c.State(); st.Trips != 0 {
		t.Errorf("redirects closed the gate, as if the cluster did not answer: %+v", st)
	}
}

// listing answers with the pages of a list of so many ConfigMaps, each with a value.
func listing(objects int, value func(i int) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var from, limit int
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		to, next := from+limit, ""
		if to >= objects {
			to = objects
		} else {
			next = strconv.Itoa(to)
		}
		_, _ = fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":%q},"items":[`, next)
		for i := from; i < to; i++ {
			sep := ","
			if i == from {
				sep = ""
			}
			_, _ = fmt.Fprintf(w, `%s{"kind":"ConfigMap","apiVersion":"v1","metadata":{"namespace":"a","name":"n%d","resourceVersion":"5"},"data":{"a":`, sep, i)
			_, _ = io.WriteString(w, value(i)+"}}")
		}
		_, _ = io.WriteString(w, "]}")
	}
}

// TestLargeObjectsAreListed has so large ones that a page of them is too large.
func TestLargeObjectsAreListed(t *testing.T) {
	s := newForeign(t)
	s.which = onlyObjects
	c := s.cluster(t)
	embeddedtest.Eventually(t, func(ctx context.Context) error { _, err := c.Facts(ctx); return err })
	const objects = 50
	s.answer(listing(objects, func(int) string { return `"` + strings.Repeat("x", 1<<20) + `"` }))
	all, err := c.List(t.Context(), configMaps, "a")
	if err != nil || len(all) != objects {
		t.Errorf("listed %d objects, %v", len(all), err)
	}
	m, err := c.Mapping(t.Context(), configMaps)
	if err != nil {
		t.Fatal(err)
	}
	to := newStore(configMaps, c.convert, func(string, gitops.Key) {}, func() {})
	if err := newWatcher(c, c.wholeSource(m, ""), to, "configmaps").list(t.Context()); err != nil {
		t.Error(err)
	}
	if _, marks := to.size(); marks != objects {
		t.Errorf("the watch has %d objects", marks)
	}
}

// TestSecretsLeadNowhereElse has a redirect for who reaches the cluster of a
// Secret without a fleet.
func TestSecretsLeadNowhereElse(t *testing.T) {
	s := httptest.NewServer(http.RedirectHandler("http://inside.test/", http.StatusTemporaryRedirect))
	t.Cleanup(func() { embeddedtest.Shut(s) })
	_, cfg, err := Parser{}.Parse(&corev1.Secret{Data: map[string][]byte{
		"name": []byte("foreign"), "server": []byte(s.URL), "config": []byte(`{"bearerToken": "t0ken"}`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Discovery().ServerVersion()
	if err == nil || !strings.Contains(err.Error(), `cluster foreign redirects GET /version to "http://inside.test"`) {
		t.Errorf("got %v", err)
	}
}
