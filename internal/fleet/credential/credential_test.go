package credential

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/transport"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

func TestNative(t *testing.T) {
	cases := map[string]struct {
		reason  string
		command string
		args    string
		env     map[string]string
		want    Source
	}{
		"ArgoAWS":     {"Argo CD's plugin is served without it", "argocd-k8s-auth", "aws --cluster-name c --role-arn=r --profile p", nil, AWS{Cluster: "c", Role: "r", Profile: "p"}},
		"ArgoAWSEnv":  {"variables of the SDK are understood", "argocd-k8s-auth", "aws --cluster-name c", map[string]string{"AWS_REGION": "eu-1"}, AWS{Cluster: "c", Region: "eu-1"}},
		"ArgoAWSElse": {"an unknown variable is for the program", "argocd-k8s-auth", "aws --cluster-name c", map[string]string{"HTTPS_PROXY": "x"}, nil},
		"NoCluster":   {"a token is for one cluster", "argocd-k8s-auth", "aws", nil, nil},
		"EKS":         {"the AWS CLI is served, too", "aws", "--region eu-1 eks get-token --cluster-name c --output json", nil, AWS{Cluster: "c", Region: "eu-1"}},
		"EKSElse":     {"other commands of the AWS CLI are its own", "aws", "sts get-session-token", nil, nil},
		"IAM":         {"the older plugin has other names", "aws-iam-authenticator", "token -i c -r role", nil, AWS{Cluster: "c", Role: "role"}},
		"ArgoGCP":     {"Google needs no flags", "argocd-k8s-auth", "gcp", nil, Google{}},
		"GKE":         {"nor does Google's own plugin", "gke-gcloud-auth-plugin", "", nil, Google{}},
		"GKEElse":     {"with a flag it is run", "gke-gcloud-auth-plugin", "--use_application_default_credentials", nil, nil},
		"ArgoAzure":   {"workload identity is what Argo CD takes", "argocd-k8s-auth", "azure", map[string]string{"AZURE_TENANT_ID": "t"}, Azure{Login: AzureWorkload, Tenant: "t"}},
		"ArgoAzureSP": {"variables choose the login", "argocd-k8s-auth", "azure", map[string]string{"AAD_LOGIN_METHOD": "spn", "AZURE_CLIENT_ID": "c", "AZURE_CLIENT_SECRET": "s"}, Azure{Login: AzureSecret, Client: "c", Secret: "s"}},
		"Kubelogin":   {"kubelogin is served", "kubelogin", "get-token --login msi --server-id s --client-id c -t t", nil, Azure{Login: AzureManaged, Server: "s", Client: "c", Tenant: "t"}},
		"Person":      {"what needs a person is the program's matter", "kubelogin", "get-token --login devicecode", nil, nil},
		"PoP":         {"so is an unknown switch", "kubelogin", "get-token --login spn --pop-enabled --pop-claims u=x", nil, nil},
		"Other":       {"other programs are run", "get-token", "x", nil, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok, err := Native(tc.command, strings.Fields(tc.args), tc.env)
			if err != nil || ok != (tc.want != nil) {
				t.Fatalf("%s: native is %v, %v", tc.reason, ok, err)
			}
			if ok {
				if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(Azure{})); diff != "" {
					t.Errorf("%s:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestCredentialTellsNothing(t *testing.T) {
	c := Credential{Token: "hunter2"}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "c", c)
	for _, s := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c), string(text), log.String()} {
		if strings.Contains(s, "hunter2") {
			t.Errorf("%q tells the token", s)
		}
	}
}

// script is a source that gives what it is told to.
type script struct {
	calls int
	give  func(call int) (Credential, error)
}

func (s *script) Get(context.Context) (Credential, error) {
	s.calls++
	return s.give(s.calls)
}

func TestKept(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason string
		// life is what the credential says of its end, seen from start.
		life  time.Duration
		fails int // the call that fails, and all later ones
		// at are the times at which it is asked for.
		at        []time.Duration
		wantCalls int
		wantErr   bool
	}{
		"Reuse":       {"one is used again", time.Hour, 0, []time.Duration{0, time.Minute, 57 * time.Minute}, 1, false},
		"Ahead":       {"it is renewed before its end", time.Hour, 0, []time.Duration{0, 59 * time.Minute}, 2, false},
		"Forever":     {"without an end it is never renewed", 0, 0, []time.Duration{0, 24 * time.Hour}, 1, false},
		"ClockAhead":  {"a clock that is wrong by hours does not ask for each request", -3 * time.Hour, 0, []time.Duration{0, time.Second, 20 * time.Second}, 1, false},
		"ClockAgain":  {"but every now and then", -3 * time.Hour, 0, []time.Duration{0, 31 * time.Second}, 2, false},
		"GoodYet":     {"one that is good yet is used when there is no newer one", time.Hour, 2, []time.Duration{0, 59 * time.Minute}, 2, false},
		"Over":        {"one that is over is not", time.Hour, 2, []time.Duration{0, 61 * time.Minute}, 2, true},
		"Patience":    {"a source that fails is left alone for a while", time.Hour, 1, []time.Duration{0, time.Second, 2 * time.Second}, 1, true},
		"TriedAnew":   {"and asked again later", time.Hour, 1, []time.Duration{0, 6 * time.Second}, 2, true},
		"ShortLived":  {"one that lives shorter than the time ahead is used for a while", time.Minute, 0, []time.Duration{0, 20 * time.Second}, 1, false},
		"ShortLived2": {"and renewed then", time.Minute, 0, []time.Duration{0, 31 * time.Second}, 2, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := start
			s := &script{give: func(call int) (Credential, error) {
				if tc.fails > 0 && call >= tc.fails {
					return Credential{}, errors.New("no")
				}
				c := Credential{Token: strconv.Itoa(call)}
				if tc.life != 0 {
					c.Expires = now.Add(tc.life)
				}
				return c, nil
			}}
			k := newKept(s, 0)
			k.now = func() time.Time { return now }
			var err error
			for _, at := range tc.at {
				now = start.Add(at)
				_, err = k.get(t.Context())
			}
			if s.calls != tc.wantCalls || (err != nil) != tc.wantErr {
				t.Errorf("%s: %d calls, error %v; want %d, error %v", tc.reason, s.calls, err, tc.wantCalls, tc.wantErr)
			}
		})
	}
}

// apiServer takes the tokens that pass; it counts requests.
func apiServer(t *testing.T, passes func(token string) bool) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var requests atomic.Int32
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body := make([]byte, 100)
		n, _ := r.Body.Read(body)
		if !passes(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write(body[:n])
	}))
	t.Cleanup(s.Close)
	return s, &requests
}

func client(t *testing.T, s Source) *http.Client {
	t.Helper()
	rt, err := NewTransport(Options{TLS: transport.TLSConfig{Insecure: true}, Source: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rt.CloseIdleConnections)
	return &http.Client{Transport: rt, Timeout: await.Limit}
}

// TestExpiresMidSync has a token that is refused although it should be good
// yet: it is renewed, and the request is sent once more, with its body.
func TestExpiresMidSync(t *testing.T) {
	var good atomic.Value
	good.Store("1")
	s, requests := apiServer(t, func(token string) bool { return token == good.Load() })
	source := &script{give: func(call int) (Credential, error) { return Credential{Token: strconv.Itoa(call)}, nil }}
	c := client(t, source)
	post := func() (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		return c.Do(r)
	}
	for i, token := range []string{"1", "1", "2"} {
		good.Store(token)
		answer, err := post()
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 10)
		n, _ := answer.Body.Read(text)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK || string(text[:n]) != "body" {
			t.Errorf("request %d: got %s %q", i, answer.Status, text[:n])
		}
	}
	if requests.Load() != 4 || source.calls != 2 {
		t.Errorf("%d requests with %d tokens; want 4 with 2", requests.Load(), source.calls)
	}
}

// TestRefusedTwice has a token that is refused even when it is new, such as
// one that is not valid yet by the server's clock: nobody tries for ever.
func TestRefusedTwice(t *testing.T) {
	s, requests := apiServer(t, func(string) bool { return false })
	source := &script{give: func(call int) (Credential, error) { return Credential{Token: strconv.Itoa(call)}, nil }}
	answer, err := client(t, source).Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized || requests.Load() != 2 || source.calls != 2 {
		t.Errorf("got %s after %d requests with %d tokens; want 401 after 2 with 2", answer.Status, requests.Load(), source.calls)
	}
}

// TestRefusedForLong sends a request each second to servers that refuse what
// is new: credentials are renewed less and less often.
func TestRefusedForLong(t *testing.T) {
	cases := map[string]struct {
		reason string
		// refuses tells which tokens are refused at a path, after some seconds.
		refuses func(path string, after int) bool
		most    int
	}{
		"All":       {"a server that refuses all of them gets a few", func(string, int) bool { return true }, 11},
		"OnePath":   {"so does one that refuses at one path alone, such as an API behind it", func(path string, _ int) bool { return path == "/behind" }, 1 + 2*60},
		"ForAWhile": {"who is trusted at last needs no other one", func(_ string, after int) bool { return after < 100 }, 4},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			second, start := 0, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tc.refuses(r.URL.Path, second) {
					w.WriteHeader(http.StatusUnauthorized)
				}
			}))
			defer s.Close()
			source := &script{give: func(call int) (Credential, error) { return Credential{Token: strconv.Itoa(call)}, nil }}
			c := client(t, source)
			c.Transport.(*Transport).kept.now = func() time.Time { return start.Add(time.Duration(second) * time.Second) }
			told := 0
			for ; second < 3600; second++ {
				for _, path := range []string{"/", "/behind"} {
					answer, err := c.Get(s.URL + path)
					var p *gitops.Problem
					if errors.As(err, &p) && p.Kind == gitops.Refused && strings.Contains(p.Error(), "401") {
						told++
					} else if err != nil {
						t.Fatal(err)
					}
					if answer != nil {
						_ = answer.Body.Close()
					}
				}
			}
			if source.calls > tc.most || told == 0 {
				t.Errorf("%s: %d credentials within an hour; want %d at most; told %d times", tc.reason, source.calls, tc.most, told)
			}
		})
	}
}

// TestClockSkew sends a request each second for an hour, with tokens that live
// a quarter of one by the clock of who issues and takes them. By the engine's
// clock they are over when they are new, or good for hours: no request is
// refused, and no more tokens are got than the time that each is used at least.
func TestClockSkew(t *testing.T) {
	const life = 15 * time.Minute
	cases := map[string]struct {
		reason      string
		skew        time.Duration // of the engine's clock
		least, most int           // tokens
	}{
		"None":   {"each is renewed a little before its end", 0, 5, 5},
		"Ahead":  {"each is over when it is new: it is used for a while all the same", 3 * time.Hour, 100, 120},
		"Little": {"the end seems to be nearer than it is", 14 * time.Minute, 50, 120},
		"Behind": {"each seems good for hours: the refusal tells", -3 * time.Hour, 4, 5},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			second, start := 0, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
			now := func() time.Time { return start.Add(time.Duration(second) * time.Second) }
			s, _ := apiServer(t, func(token string) bool {
				issued, err := time.Parse(time.RFC3339, token)
				return err == nil && now().Before(issued.Add(life))
			})
			source := &script{give: func(int) (Credential, error) {
				return Credential{Token: now().Format(time.RFC3339), Expires: now().Add(life)}, nil
			}}
			c := client(t, source)
			c.Transport.(*Transport).kept.now = func() time.Time { return now().Add(tc.skew) }
			for ; second < 3600; second++ {
				answer, err := c.Get(s.URL)
				if err != nil {
					t.Fatalf("%s: after %d s: %v", tc.reason, second, err)
				}
				_ = answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					t.Fatalf("%s: after %d s: %s", tc.reason, second, answer.Status)
				}
			}
			if source.calls < tc.least || source.calls > tc.most {
				t.Errorf("%s: %d tokens within an hour, want %d to %d", tc.reason, source.calls, tc.least, tc.most)
			}
		})
	}
}

func TestNoCredential(t *testing.T) {
	s, requests := apiServer(t, func(string) bool { return true })
	source := &script{give: func(int) (Credential, error) { return Credential{}, errors.New("the role may not be assumed") }}
	_, err := client(t, source).Get(s.URL) //nolint:bodyclose // there is none
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Refused || !strings.Contains(p.Error(), "may not be assumed") || requests.Load() != 0 {
		t.Errorf("got %v after %d requests", err, requests.Load())
	}
}

// TestAWS signs for a cluster, with a role that a stand-in for STS gives.
func TestAWS(t *testing.T) {
	var assumed url.Values
	refuse := false
	sts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		assumed = r.PostForm
		w.Header().Set("Content-Type", "text/xml")
		if refuse {
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprint(w, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>may not assume</Message></Error><RequestId>abc</RequestId></ErrorResponse>`)
			return
		}
		_, _ = fmt.Fprintf(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ROLEKEY</AccessKeyId><SecretAccessKey>hunter3</SecretAccessKey><SessionToken>session</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	}))
	defer sts.Close()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_STS": sts.URL, "AWS_ACCESS_KEY_ID": "OWNKEY", "AWS_SECRET_ACCESS_KEY": "hunter2", "AWS_REGION": "eu-west-1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_MAX_ATTEMPTS": "1",
	} {
		t.Setenv(name, value)
	}
	cases := map[string]struct {
		aws AWS
		key string
	}{"Own": {AWS{Cluster: "prod"}, "OWNKEY"}, "Role": {AWS{Cluster: "prod", Role: "arn:aws:iam::1:role/x"}, "ROLEKEY"}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, err := tc.aws.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			text, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(c.Token, awsPrefix))
			signed, err2 := url.Parse(string(text))
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			q := signed.Query()
			if q.Get("Action") != "GetCallerIdentity" || !strings.HasPrefix(q.Get("X-Amz-Credential"), tc.key+"/") ||
				!strings.Contains(q.Get("X-Amz-SignedHeaders"), awsHeader) || q.Get("X-Amz-Expires") != "60" || q.Get("X-Amz-Signature") == "" {
				t.Errorf("signed %s", signed)
			}
			if left := time.Until(c.Expires); left > awsLife || left < awsLife-10*time.Minute {
				t.Errorf("it lives %s", left)
			}
		})
	}
	if assumed.Get("RoleArn") != "arn:aws:iam::1:role/x" {
		t.Errorf("asked for %v", assumed)
	}
	refuse = true
	_, err := AWS{Cluster: "prod", Role: "arn:aws:iam::1:role/x"}.Get(t.Context())
	if err == nil || !strings.Contains(err.Error(), "AccessDenied") || strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "abc") {
		t.Errorf("got %v", err)
	}
}

// TestGoogle reads a token of the metadata server's stand-in.
func TestGoogle(t *testing.T) {
	status := http.StatusOK
	meta := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Metadata-Flavor", "Google")
		if strings.HasSuffix(r.URL.Path, "/token") && status != http.StatusOK {
			http.Error(w, "hunter2", status)
			return
		}
		_, _ = fmt.Fprint(w, `{"access_token":"gke","expires_in":3600,"token_type":"Bearer"}`)
	}))
	defer meta.Close()
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(meta.URL, "http://"))
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("HOME", t.TempDir())
	c, err := Google{}.Get(t.Context())
	if err != nil || c.Token != "gke" || time.Until(c.Expires) < 30*time.Minute {
		t.Errorf("got %q, %v", c.Token, err)
	}
	status = http.StatusForbidden
	if _, err := (Google{}).Get(t.Context()); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// rewritten sends all requests to one server, whatever host they name.
type rewritten struct {
	to     *url.URL
	client *http.Client
}

func (t rewritten) Do(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = t.to.Scheme, t.to.Host, t.to.Host
	return t.client.Do(r)
}

// TestAzure logs in at a stand-in for Entra ID, and for the metadata service.
func TestAzure(t *testing.T) {
	var form url.Values
	refuse := false
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, "openid-configuration") {
			_, _ = fmt.Fprint(w, `{"authorization_endpoint":"https://login.test/tenant/authorize","token_endpoint":"https://login.test/tenant/token","issuer":"https://login.test/tenant"}`)
			return
		}
		form = r.Form
		if refuse {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error":"invalid_client","error_description":"sent %s"}`, r.Form.Get("client_secret"))
			return
		}
		_, _ = fmt.Fprintf(w, `{"access_token":"aks","expires_in":"3600","expires_on":"%d","resource":"x","token_type":"Bearer"}`, time.Now().Add(time.Hour).Unix())
	}))
	defer login.Close()
	to, err := url.Parse(login.URL)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("projected"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := Azure{
		Client: "client", Secret: "hunter2", Tenant: "tenant", TokenFile: file, Authority: "https://login.test/",
		transport: rewritten{to, login.Client()}, withoutAuthorityValidation: true,
	}
	for how, want := range map[string]map[string]string{
		AzureSecret:   {"client_secret": "hunter2", "scope": aksServer + "/.default openid offline_access profile"},
		AzureWorkload: {"client_assertion": "projected"},
		AzureManaged:  {"resource": aksServer, "client_id": "client"},
	} {
		t.Run(how, func(t *testing.T) {
			a := all
			a.Login = how
			c, err := a.Get(t.Context())
			if err != nil || c.Token != "aks" || time.Until(c.Expires) < 30*time.Minute {
				t.Fatalf("got %v, %v", c, err)
			}
			for name, value := range want {
				if form.Get(name) != value {
					t.Errorf("sent %s = %q; want %q", name, form.Get(name), value)
				}
			}
		})
	}
	refuse = true
	all.Login = AzureSecret
	if _, err := all.Get(t.Context()); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "401") {
		t.Errorf("got %v", err)
	}
}
