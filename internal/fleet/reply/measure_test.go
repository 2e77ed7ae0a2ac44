package reply

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// serving makes the config of a server.
func serving(t *testing.T, answer http.HandlerFunc) *rest.Config {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	cfg := &rest.Config{Host: s.URL, QPS: -1}
	Guard(cfg, func() string { return "east" })
	return cfg
}

// many is a text in which a part is there so often that it has this many bytes.
func many(begin, part, end string, size int) []byte {
	return []byte(begin + strings.Repeat(part+",", size/(len(part)+1)) + part + end)
}

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// TestTakesTooMuch has answers of few bytes that become a thousand times as many.
func TestTakesTooMuch(t *testing.T) {
	const size = 7 << 20
	list := `{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"},"data":[`
	cases := map[string]struct {
		reason, mediaType string
		text              []byte
		ask               func(*rest.Config) error
	}{
		"Kinds": {
			"structs of discovery", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			many(`{"items":[{"metadata":{"name":"g"},"versions":[{"version":"v1","resources":[`, "{}", `]}]}]}`, size),
			func(c *rest.Config) error {
				_, _, err := discovery.NewDiscoveryClientForConfigOrDie(c).ServerGroupsAndResources()
				return err
			},
		},
		"Nulls": {
			"a struct is made of nothing, too", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			many(`{"items":[`, "null", `]}`, size),
			func(c *rest.Config) error {
				_, _, err := discovery.NewDiscoveryClientForConfigOrDie(c).ServerGroupsAndResources()
				return err
			},
		},
		"Group": {
			"structs of a group", "application/json", many(`{"groupVersion":"g/v1","resources":[`, "{}", `]}`, size),
			func(c *rest.Config) error {
				_, err := discovery.NewDiscoveryClientForConfigOrDie(c).ServerResourcesForGroupVersion("g/v1")
				return err
			},
		},
		"Page": {
			"maps", "application/json", many(list, "{}", `]}]}`, size),
			func(c *rest.Config) error {
				_, err := dynamic.NewForConfigOrDie(c).Resource(secrets).List(t.Context(), metav1.ListOptions{})
				return err
			},
		},
		"Metadata": {
			"structs of metadata", "application/json", many(`{"items":[`, "{}", `]}`, size),
			func(c *rest.Config) error {
				_, err := metadata.NewForConfigOrDie(c).Resource(secrets).List(t.Context(), metav1.ListOptions{})
				return err
			},
		},
		"Typed": {
			"structs of Pods", "application/json", many(`{"items":[`, "{}", `]}`, size),
			func(c *rest.Config) error {
				_, err := kubernetes.NewForConfigOrDie(c).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
				return err
			},
		},
		"Unnamed": {
			"what does not say its form is JSON", "", many(`{"items":[`, "{}", `]}`, size),
			func(c *rest.Config) error {
				_, err := metadata.NewForConfigOrDie(c).Resource(secrets).List(t.Context(), metav1.ListOptions{})
				return err
			},
		},
		"Deep": {
			"what no parser reads", "application/json", many(`{"items":`, "[", "", 20_000),
			func(c *rest.Config) error {
				_, err := dynamic.NewForConfigOrDie(c).Resource(secrets).List(t.Context(), metav1.ListOptions{})
				return err
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.ask(serving(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tc.mediaType}
				_, _ = w.Write(tc.text)
			}))
			var over *TooLarge
			if !errors.As(err, &over) || !over.Memory || !strings.Contains(err.Error(), "MiB of memory, which is not read") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestLargeObjects has objects that etcd takes, of a team that means harm.
func TestLargeObjects(t *testing.T) {
	const stored = 3 << 19
	for _, item := range []string{`{}`, `1`, `{"":1}`, `[1]`, strings.Repeat(`{"":`, 2000) + "1" + strings.Repeat("}", 2000)} {
		text := many(`{"kind":"A","apiVersion":"b/v1","metadata":{"name":"c"},"status":[`, item, "]}", stored)
		if n := bounded.Measured(text, unstructured.cost); n > unstructured.memory {
			t.Errorf("an object of %.10s takes %d MiB", item, n>>20)
		}
	}
	named := many(`{"metadata":{"finalizers":[`, `"a/b"`, "]}}", stored)
	if n := bounded.Measured(named, partial.cost); n > partial.memory {
		t.Errorf("finalizers take %d MiB", n>>20)
	}
}

// TestEventInManyLines has an event without end, in short lines, and real ones
// in any lines.
func TestEventInManyLines(t *testing.T) {
	const most = 3 * MostObject
	begin := `{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}`
	for name, tc := range map[string]struct {
		piece string
		ends  bool
	}{
		"Spaces": {strings.Repeat(" ", 1<<20-1) + "\n", false},
		"Texts":  {`,"a":"` + strings.Repeat("}", 1<<20) + `"` + "\n", false},
		"Small":  {"\n}\n}\n" + begin, true},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			cfg := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, begin)
				for i := 0; sent.Load() < most && i < 200; i++ {
					n, err := io.WriteString(w, tc.piece)
					if sent.Add(int64(n)); err != nil {
						return
					}
				}
			})
			w, err := metadata.NewForConfigOrDie(cfg).Resource(secrets).Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			events, refused := 0, ""
			for e := range w.ResultChan() {
				events++
				if status, failed := e.Object.(*metav1.Status); failed {
					refused = status.Message
				}
			}
			if ends := events >= 200 && refused == ""; ends != tc.ends || !ends && !strings.Contains(refused, "an event that has more than 32 MiB") || sent.Load() > 2*MostObject {
				t.Errorf("%d events, %q, %d MiB were sent", events, refused, sent.Load()>>20)
			}
		})
	}
}

// TestEventTakesTooMuch has an event of few bytes after others that take a lot together.
func TestEventTakesTooMuch(t *testing.T) {
	event := many(`{"type":"ADDED","object":{"a":[`, "{}", "]}}\n", 1<<20)
	r := &measured{
		ReadCloser: io.NopCloser(io.MultiReader(bytes.NewReader(bytes.Repeat(event, 8)), bytes.NewReader(many("[", "{}", "]", 16<<20)))),
		meter:      bounded.NewMeter(unstructured.cost), memory: unstructured.memory, each: MostObject, over: &TooLarge{Event: true},
	}
	n, err := io.Copy(io.Discard, r)
	if over := (*TooLarge)(nil); !errors.As(err, &over) || !over.Memory || n < int64(8*len(event)) {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

// TestOtherForms has a server that answers in a form that it was not asked for.
func TestOtherForms(t *testing.T) {
	for _, mediaType := range []string{"application/vnd.kubernetes.protobuf", "application/yaml", "application/cbor-seq", "application/vnd.kubernetes.protobuf;stream=watch"} {
		var asked atomic.Value
		cfg := serving(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Store(r.Header.Get("Accept"))
			w.Header().Set("Content-Type", mediaType)
			_, _ = io.WriteString(w, "{}")
		})
		_, err := metadata.NewForConfigOrDie(cfg).Resource(secrets).List(t.Context(), metav1.ListOptions{})
		if form := (*Form)(nil); !errors.As(err, &form) || Refusal(err) == nil {
			t.Errorf("%s: got %v", mediaType, err)
		}
		if accept := asked.Load().(string); isOtherForm(accept) || !strings.Contains(accept, "as=PartialObjectMetadataList") {
			t.Errorf("%s: asked for %s", mediaType, accept)
		}
	}
}
