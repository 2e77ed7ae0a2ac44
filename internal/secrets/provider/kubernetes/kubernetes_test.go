package kubernetes

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

func secret(name string, tags map[string]string, pairs ...string) corev1.Secret {
	one := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "remote", Labels: tags, ResourceVersion: "7"}, Data: map[string][]byte{}}
	for i := 0; i < len(pairs); i += 2 {
		one.Data[pairs[i]] = []byte(pairs[i+1])
	}
	return one
}

var remote = []corev1.Secret{
	secret("db", map[string]string{"app": "db"}, "password", "hunter22", "tls.crt", "cert", "blob", "\x00\xff", "config", `{"a":{"b":"c"}}`),
	secret("web", map[string]string{"app": "web"}, "a", "1"), secret("web-two", map[string]string{"app": "web", "tier": "x"}, "b", "2"),
}

// apiServer answers what is documented of Secrets, a page of one at a time, to who has the token.
func apiServer(t *testing.T, instead http.HandlerFunc) *httptest.Server {
	t.Helper()
	fail := func(w http.ResponseWriter, err *apierrors.StatusError) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(err.ErrStatus.Code))
		err.ErrStatus.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		if failed := json.NewEncoder(w).Encode(err.ErrStatus); failed != nil {
			t.Error(failed)
		}
	}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resource := schema.GroupResource{Resource: "secrets"}
		name, ok := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces/remote/secrets")
		name = strings.TrimPrefix(name, "/")
		if accept := r.Header.Get("Accept"); accept != "application/json" {
			t.Errorf("an answer in another form than JSON, which is bounded, was asked for: %q", accept)
		}
		switch token := r.Header.Get("Authorization"); {
		case instead != nil:
			instead(w, r)
			return
		case token == "Bearer weak":
			fail(w, apierrors.NewForbidden(resource, name, errors.New("no rights")))
			return
		case token != "Bearer strong":
			fail(w, apierrors.NewUnauthorized("Unauthorized"))
			return
		}
		selector, _ := labels.Parse(r.URL.Query().Get("labelSelector"))
		var found []corev1.Secret
		for _, one := range remote {
			if ok && (name == one.Name || name == "" && selector.Matches(labels.Set(one.Labels))) {
				found = append(found, one)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if name != "" && len(found) == 1 {
			found[0].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}
			_ = json.NewEncoder(w).Encode(found[0])
			return
		}
		if name != "" || !ok {
			fail(w, apierrors.NewNotFound(resource, name))
			return
		}
		list := corev1.SecretList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "SecretList"}}
		at := 0
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &at)
		if at < len(found) {
			list.Items = found[at : at+1]
		}
		if at+1 < len(found) {
			list.Continue = strconv.Itoa(at + 1)
		}
		_ = json.NewEncoder(w).Encode(list)
	}))
	t.Cleanup(s.Close)
	return s
}

// secrets are the credentials in the store's namespace.
type secrets map[string]string

func (s secrets) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	text, there := s[name.Name]
	one, ok := into.(*corev1.Secret)
	if !there || !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name.Name)
	}
	one.Data = map[string][]byte{"v": []byte(text)}
	return nil
}

func (secrets) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func open(t *testing.T, s *httptest.Server, config string, dial func(context.Context, string, string) (net.Conn, error)) (provider.Reader, error) {
	t.Helper()
	trusted := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	kubeconfig := func(user string) string {
		return fmt.Sprintf(`{"clusters":[{"name":"c","cluster":{"server":%q,"certificate-authority-data":%q}}],"users":[{"name":"u","user":%s}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"current-context":"x"}`, s.URL, base64.StdEncoding.EncodeToString(trusted), user)
	}
	around := store.NewShelf(store.Cluster{
		Server: &rest.Config{Host: s.URL, BearerToken: "of the engine", TLSClientConfig: rest.TLSClientConfig{CAData: trusted},
			ContentConfig: rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}}, Dial: dial,
		Tokens: func(_ context.Context, account types.NamespacedName, _ []string) (string, error) {
			return account.Name, nil
		},
		Objects: secrets{
			"strong": "strong", "weak": "weak", "words": "hunter22", "kubeconfig": kubeconfig(`{"token":"strong"}`),
			"exec": kubeconfig(`{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"/bin/hunter22","interactiveMode":"Never"}}`),
			"file": kubeconfig(`{"tokenFile":"/dev/zero"}`), "key": kubeconfig(`{"client-key":"/var/run/hunter22","client-certificate":"/var/run/hunter22"}`),
			"empty": `{}`,
		},
	}, nil).Around("ns")
	return Open(t.Context(), json.RawMessage(strings.NewReplacer("URL", s.URL, "CA", base64.StdEncoding.EncodeToString(trusted)).Replace(config)), around)
}

const byToken = `{"remoteNamespace":"remote","server":{"url":"URL","caBundle":"CA"},"auth":{"token":{"bearerToken":{"name":"strong","key":"v"}}}}`

func TestRead(t *testing.T) {
	p, err := open(t, apiServer(t, nil), byToken, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason   string
		ref      provider.Ref
		property string
		want     string
		gone     bool
		err      string
	}{
		"value":    {"a value of a Secret", provider.Ref{Key: "db"}, "password", "hunter22", false, ""},
		"dotted":   {"whose key may have dots", provider.Ref{Key: "db"}, "tls.crt", "cert", false, ""},
		"inside":   {"a path into a value", provider.Ref{Key: "db"}, "config.a.b", "c", false, ""},
		"binary":   {"bytes that are no text", provider.Ref{Key: "db"}, "blob", "\x00\xff", false, ""},
		"all":      {"a Secret as JSON", provider.Ref{Key: "web"}, "", `{"a":"1"}`, false, ""},
		"metadata": {"its labels", provider.Ref{Key: "web", Metadata: true}, "labels.app", "web", false, ""},
		"absent":   {"a Secret that there is not", provider.Ref{Key: "nope"}, "", "", true, "nope in the namespace remote"},
		"no value": {"a value that there is not, of a Secret that is there", provider.Ref{Key: "web"}, "nope", "", false, "no such property"},
		"no label": {"or a label", provider.Ref{Key: "web", Metadata: true}, "labels.nope", "", false, "no such property"},
		"empty":    {"no name", provider.Ref{}, "", "", false, "cannot read"},
		"path":     {"a name that leaves the namespace", provider.Ref{Key: "../../other/secrets/x"}, "", "", false, "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := p.Read(t.Context(), tc.ref)
			var got []byte
			if err == nil {
				got, err = one.Value(tc.property)
			}
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || errors.Is(err, entry.ErrNotFound) != tc.gone) || string(got) != tc.want {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
			if one.Version != "" {
				t.Errorf("%s: the version %q would change with the metadata", tc.reason, one.Version)
			}
		})
	}
}

func TestFind(t *testing.T) {
	p, err := open(t, apiServer(t, nil), byToken, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason string
		find   esv1.Find
		want   []string
	}{
		"all":     {"of all pages", esv1.Find{}, []string{"db", "web", "web-two"}},
		"name":    {"by name", esv1.Find{Name: &esv1.FindName{RegExp: "^web"}}, []string{"web", "web-two"}},
		"tags":    {"by labels", esv1.Find{Tags: map[string]string{"app": "web", "tier": "x"}}, []string{"web-two"}},
		"nothing": {"nothing is no error", esv1.Find{Name: &esv1.FindName{RegExp: "nope"}}, nil},
	} {
		found, err := p.Find(t.Context(), tc.find)
		if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(found))); err != nil || diff != "" {
			t.Errorf("%s: %s: %v (-want +got):\n%s", name, tc.reason, err, diff)
		}
	}
	if _, err := p.Find(t.Context(), esv1.Find{Name: &esv1.FindName{RegExp: "("}}); err == nil || !strings.Contains(err.Error(), "find.name.regexp") {
		t.Errorf("a pattern that is none: %v", err)
	}
}

// TestWhatIsNoAPIServer: what says 404 of an address says nothing of Secrets.
func TestWhatIsNoAPIServer(t *testing.T) {
	for name, instead := range map[string]http.HandlerFunc{
		"page":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>hunter22", http.StatusNotFound) },
		"nothing": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"broken":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusBadGateway) },
		"200":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
	} {
		p, err := open(t, apiServer(t, instead), byToken, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, read := p.Read(t.Context(), provider.Ref{Key: "db"})
		_, found := p.Find(t.Context(), esv1.Find{})
		for _, err := range []error{read, found} {
			if err == nil || errors.Is(err, entry.ErrNotFound) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// TestEndless: no more is read of an answer than there is memory for.
func TestEndless(t *testing.T) {
	for _, code := range []int{http.StatusOK, http.StatusInternalServerError} {
		p, err := open(t, apiServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			for part := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(w, part); err != nil {
					return
				}
			}
		}), byToken, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err == nil || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "more than 16 MiB") {
			t.Errorf("%d: got %v", code, err)
		}
	}
}

// TestLargeSecretsAreFound: they are asked for in smaller pages.
func TestLargeSecretsAreFound(t *testing.T) {
	value := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 3<<20)))
	const many = 5
	p, err := open(t, apiServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		next, to := "", min(from+max(1, limit/5), many) // a fifth, so that few are a page of the smallest size
		if to < many {
			next = strconv.Itoa(to)
		}
		_, _ = fmt.Fprintf(w, `{"kind":"SecretList","apiVersion":"v1","metadata":{"continue":%q},"items":[{}`, next)
		for i := from; i < to; i++ {
			_, _ = fmt.Fprintf(w, `,{"metadata":{"name":"s%d"},"data":{"v":"%s"}}`, i, value)
		}
		_, _ = io.WriteString(w, "]}")
	}), byToken, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.Find(t.Context(), esv1.Find{Name: &esv1.FindName{RegExp: "^s"}})
	if err != nil || len(found) != many {
		t.Errorf("found %d, %v", len(found), err)
	}
}

func TestWhoAsks(t *testing.T) {
	s := apiServer(t, nil)
	for name, tc := range map[string]struct{ reason, config, open, read string }{
		"account":    {"a service account, at the store's own cluster", `{"remoteNamespace":"remote","auth":{"serviceAccount":{"name":"strong"}}}`, "", ""},
		"kubeconfig": {"a kubeconfig", `{"remoteNamespace":"remote","authRef":{"name":"kubeconfig","key":"v"}}`, "", ""},
		"weak":       {"one without rights", `{"remoteNamespace":"remote","auth":{"token":{"bearerToken":{"name":"weak","key":"v"}}}}`, "", "no rights"},
		"wrong":      {"one that is not known", `{"remoteNamespace":"remote","auth":{"token":{"bearerToken":{"name":"words","key":"v"}}}}`, "", "Unauthorized"},
		"nobody":     {"never the engine itself", `{"remoteNamespace":"remote"}`, "set auth or authRef", ""},
		"no method":  {"no method", `{"auth":{}}`, "set serviceAccount, token or cert", ""},
		"no token":   {"a token that there is not", `{"auth":{"token":{"bearerToken":{"name":"nope","key":"v"}}}}`, "Secret ns/nope does not exist", ""},
		"no cert":    {"a certificate that is none", `{"server":{"url":"https://x"},"auth":{"cert":{"clientCert":{"name":"words","key":"v"},"clientKey":{"name":"words","key":"v"}}}}`, "failed to find any PEM data", ""},
		"words":      {"a kubeconfig that is none", `{"authRef":{"name":"words","key":"v"}}`, "the value is no kubeconfig", ""},
		"exec":       {"one that runs a program of this machine", `{"authRef":{"name":"exec","key":"v"}}`, "runs a program or reads files", ""},
		"file":       {"one that reads a file of this machine, which never ends", `{"authRef":{"name":"file","key":"v"}}`, "runs a program or reads files", ""},
		"key":        {"or a key", `{"authRef":{"name":"key","key":"v"}}`, "runs a program or reads files", ""},
		"empty":      {"or says nothing", `{"authRef":{"name":"empty","key":"v"}}`, "names no server and user", ""},
		"no ref":     {"one that there is not", `{"authRef":{"name":"nope","key":"v"}}`, "authRef: Secret ns/nope does not exist", ""},
		"no CA":      {"a certificate of the server that there is not", `{"server":{"url":"URL","caProvider":{"type":"Secret","name":"nope","key":"v"}},"auth":{}}`, "server: Secret ns/nope does not exist", ""},
		"types":      {"a field of another type", `{"auth":"hunter22"}`, "Config.auth", ""},
		"elsewhere":  {"another namespace than the account may read", `{"auth":{"serviceAccount":{"name":"strong"}}}`, "", "in the namespace default"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := open(t, s, tc.config, nil)
			want := tc.open
			if err == nil {
				want = tc.open + tc.read
				_, err = p.Read(t.Context(), provider.Ref{Key: "db"})
			}
			if (err != nil) != (want != "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter")) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, want)
			}
			if no := (*provider.Refused)(nil); errors.As(err, &no) != (tc.read != "" && name != "elsewhere") {
				t.Errorf("%s: are the credentials refused? %v", tc.reason, err)
			}
		})
	}
}

// TestRedirects: the token is for the server that the store names.
func TestRedirects(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	p, err := open(t, apiServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}), byToken, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, read := p.Read(t.Context(), provider.Ref{Key: "db"})
	_, found := p.Find(t.Context(), esv1.Find{})
	for _, err := range []error{read, found} {
		if err == nil || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "307") {
			t.Errorf("got %v", err)
		}
	}
	if asked {
		t.Error("another server was asked")
	}
}

// TestConnections: the engine says where stores may connect to.
func TestConnections(t *testing.T) {
	s := apiServer(t, nil)
	refused := errors.New("that address is refused")
	for _, config := range []string{byToken, `{"remoteNamespace":"remote","authRef":{"name":"kubeconfig","key":"v"}}`} {
		p, err := open(t, s, config, func(context.Context, string, string) (net.Conn, error) { return nil, refused })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
	}
}
