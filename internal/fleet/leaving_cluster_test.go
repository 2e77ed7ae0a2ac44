package fleet

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// serving is an API server as a function.
type serving func(*http.Request) (*http.Response, error)

func (f serving) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (serving) CloseIdleConnections() {}

func (f serving) config(server string) *rest.Config {
	cfg := &rest.Config{Host: server}
	cfg.Wrap(func(http.RoundTripper) http.RoundTripper { return f })
	return cfg
}

// answer is one in JSON.
func answer(r *http.Request, body io.Reader) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(body), Request: r}
}

// bubbleFleet is one of a synctest, whose hub is away.
func bubbleFleet(t *testing.T, kinds int64) *Fleet {
	t.Helper()
	f, err := New(Options{
		Hub: (&host{}).config("http://hub.test"), Namespace: "argocd", Kinds: kinds, Convert: func(string, *unstructured.Unstructured) *gitops.Live { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// TestNobodyWaitsForAClusterThatLeaves has clusters that hang whatever is done to
// them: they are replaced and removed without a moment between, and Close alone
// waits for them.
func TestNobodyWaitsForAClusterThatLeaves(t *testing.T) {
	for name, leave := range map[string]func(f *Fleet, d gitops.Cluster, hangs *rest.Config) error{
		"Set": func(f *Fleet, d gitops.Cluster, hangs *rest.Config) error {
			hangs.BearerToken = "another"
			return f.Set(t.Context(), d, hangs)
		},
		"SetBroken": func(f *Fleet, d gitops.Cluster, _ *rest.Config) error {
			why := errors.New("it is not JSON")
			if err := f.SetBroken(d, why); !errors.Is(err, why) {
				return err
			}
			return nil
		},
		"Hub": func(f *Fleet, d gitops.Cluster, _ *rest.Config) error {
			d.Server = gitops.HubServer
			return f.Set(t.Context(), d, nil)
		},
		"Remove": func(f *Fleet, d gitops.Cluster, _ *rest.Config) error { f.Remove(d.Secret); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, release := bubbleFleet(t, 0), make(chan struct{})
				hanging := atomic.Int32{}
				hangs := serving(func(*http.Request) (*http.Response, error) {
					hanging.Add(1)
					<-release
					return nil, errors.New("released")
				})
				begin := time.Now()
				for _, secret := range []string{"a", "b", "c"} {
					d := gitops.Cluster{Name: secret, Server: "http://" + secret + ".test", Secret: secret}
					if err := f.Set(t.Context(), d, hangs.config(d.Server)); err != nil {
						t.Fatal(err)
					}
					synctest.Wait() // it is asked
					if err := leave(f, d, hangs.config(d.Server)); err != nil {
						t.Fatal(err)
					}
				}
				if n, took := hanging.Load(), time.Since(begin); n < 3 || took > 0 {
					t.Errorf("with %d requests that hang it took %s", n, took)
				}
				closed := make(chan struct{})
				go func() { f.Close(); close(closed) }()
				synctest.Wait()
				select {
				case <-closed:
					t.Error("Close waits for nobody")
				default:
				}
				close(release)
				<-closed
				if took := time.Since(begin); took > 0 {
					t.Errorf("Close took %s after all had ended", took)
				}
			})
		})
	}
}

// trickle is an answer that goes on for as long as somebody reads it.
type trickle struct {
	r    *http.Request
	once sync.Once
	over *atomic.Int32
}

func (b *trickle) Read([]byte) (int, error) {
	<-b.r.Context().Done()
	b.once.Do(func() { b.over.Add(1) })
	return 0, b.r.Context().Err()
}

// TestQuestionsEndWithTheCluster has a cluster answer without end what it is asked
// for its kinds. A client of discovery takes no context: its requests end with the
// cluster all the same.
func TestQuestionsEndWithTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, over atomic.Int32
		trickles := serving(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/version" {
				return answer(r, strings.NewReader(`{"gitVersion": "v1.36.3"}`)), nil
			}
			begun.Add(1)
			return answer(r, &trickle{r: r, over: &over}), nil
		})
		f := bubbleFleet(t, 0)
		d := gitops.Cluster{Name: "spoke", Server: "http://spoke.test", Secret: "spoke"}
		if err := f.Set(t.Context(), d, trickles.config(d.Server)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if begun.Load() == 0 {
			t.Fatal("it is not asked for its kinds")
		}
		f.Remove(d.Secret)
		synctest.Wait()
		if begun.Load() != over.Load() {
			t.Errorf("of %d requests %d have ended with the cluster", begun.Load(), over.Load())
		}
	})
}
