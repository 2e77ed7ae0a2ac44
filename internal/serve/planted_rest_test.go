package serve_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/oidc/oidctest"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	hubrules "github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// generators ask with a token; %s is where.
var plantedGenerators = map[string]string{
	"scm of GitHub":             "{scmProvider: {github: {organization: org, api: %s, tokenRef: {secretName: tokens, key: KEY}}}}",
	"scm of GitLab":             "{scmProvider: {gitlab: {group: org, api: %s, tokenRef: {secretName: tokens, key: KEY}}}}",
	"scm of Gitea":              "{scmProvider: {gitea: {owner: org, api: %s, tokenRef: {secretName: tokens, key: KEY}}}}",
	"scm of Bitbucket Server":   "{scmProvider: {bitbucketServer: {project: org, api: %s, basicAuth: {username: me, passwordRef: {secretName: tokens, key: KEY}}}}}",
	"scm of Azure DevOps":       "{scmProvider: {azureDevOps: {organization: org, teamProject: web, api: %s, accessTokenRef: {secretName: tokens, key: KEY}}}}",
	"pulls of GitHub":           "{pullRequest: {github: {owner: org, repo: web, api: %s, tokenRef: {secretName: tokens, key: KEY}}}}",
	"pulls of GitLab":           "{pullRequest: {gitlab: {project: org/web, api: %s, tokenRef: {secretName: tokens, key: KEY}}}}",
	"pulls of Gitea":            "{pullRequest: {gitea: {owner: org, repo: web, api: %s, tokenRef: {secretName: tokens, key: KEY}}}}",
	"pulls of Bitbucket Server": "{pullRequest: {bitbucketServer: {project: org, repo: web, api: %s, bearerToken: {tokenRef: {secretName: tokens, key: KEY}}}}}",
	"plugin":                    "{plugin: {configMapRef: {name: plug}}}",
}

// webhooks are how hosts prove that they know a secret.
var plantedWebhooks = map[string]struct {
	key, body string
	headers   func(secret, body string) map[string]string
}{
	"GitHub": {"webhook.github.secret", `{"zen":"x"}`, func(s, b string) map[string]string {
		return map[string]string{"X-Github-Event": "ping", "X-Hub-Signature-256": "sha256=" + signed(s, b)}
	}},
	"GitLab": {"webhook.gitlab.secret", "{}", func(s, _ string) map[string]string {
		return map[string]string{"X-Gitlab-Event": "Other Hook", "X-Gitlab-Token": s}
	}},
	"Gitea": {"webhook.gitea.secret", "{}", func(s, b string) map[string]string {
		return map[string]string{"X-Gitea-Event": "other", "X-Gitea-Signature": signed(s, b)}
	}},
	"Bitbucket": {"webhook.bitbucket.uuid", "{}", func(s, _ string) map[string]string {
		return map[string]string{"X-Hook-Uuid": s, "X-Event-Key": "other"}
	}},
	"Bitbucket Server": {"webhook.bitbucketserver.secret", "{}", func(s, b string) map[string]string {
		return map[string]string{"X-Event-Key": "other", "X-Hub-Signature": "sha256=" + signed(s, b)}
	}},
	"Azure DevOps": {"webhook.azuredevops.password", "{}", func(s, _ string) map[string]string {
		return map[string]string{"X-Vss-Activityid": "1", "Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+s))}
	}},
}

func signed(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func (p *planting) plantAll() {
	p.t.Setenv("PLANTED", p.bed.Text("environment of the engine"))
	p.bed.Used("environment of the engine")
	p.plantManifests()
	p.plantRepositories()
	p.plantClusters()
	p.plantKubeconfigs()
	p.plantMetadata()
	p.plantGenerators()
	p.plantInstallation()
}

// rendering has a plugin that prints a secret, and the key of what SOPS encrypted.
func (p *planting) rendering() hubrules.Rendering {
	p.t.Helper()
	dir := p.t.TempDir()
	secret := p.bed.Text("manifest: printed by a plugin")
	apptest.Put(p.t, filepath.Join(dir, "plugin.yaml"), fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: fetches}
spec:
  generate: {command: [sh, -c, "env > %s/plugin-$$.env; printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: planted-plugin}\nstringData: {password: %s}\n'"]}
`, p.notes, secret))
	r, err := hubrules.LoadRendering(dir, "testdata/sealed/age.key", func(string) string { return "" })
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.SplitSeq(sealed(p.t, "age.key"), "\n") {
		if strings.HasPrefix(line, "AGE-SECRET-KEY") {
			p.bed.Keep("age key", line)
			p.bed.Used("age key") // what it opens is waited for
		}
	}
	return r
}

// plantManifests writes Secrets into the repository in all ways.
func (p *planting) plantManifests() {
	s := p.site
	s.Write("app/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {colour: red}\n")
	s.Write("manifests/secret.yaml", fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: planted}\ndata: {a: %s}\nstringData: {b: %s}\n",
		base64.StdEncoding.EncodeToString([]byte(p.bed.Text("manifest: data"))), p.bed.Text("manifest: stringData")))
	s.Write("chart/Chart.yaml", "{apiVersion: v2, name: chart, version: 1.0.0}")
	s.Write("chart/values.yaml", "password: "+p.bed.Text("manifest: value of a chart"))
	s.Write("chart/templates/secret.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: planted-chart}\ndata: {a: {{ .Values.password | b64enc }}}\n")
	s.Write("kustomized/kustomization.yaml", "secretGenerator: [{name: planted-kustomized, files: [password.txt]}]\n")
	s.Write("kustomized/password.txt", p.bed.Text("manifest: file of a generator"))
	s.Write("sealed/a.yaml", sealed(p.t, "first.yaml"))
	p.bed.Keep("manifest: encrypted by SOPS", sealedFirst)
	s.Write("printed/x.txt", "x")
	s.Write("drifted/secret.yaml", fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: planted-live}\nstringData: {b: %s}\n", p.bed.Text("manifest: not applied")))
	p.bed.Used("manifest: not applied")
	p.secret("planted-live", "", map[string]string{"b": "%s"}, p.bed.Text("live: Secret"))
	p.bed.Used("live: Secret")
	for _, name := range []string{"manifests", "chart", "kustomized", "sealed"} {
		p.app(name, func(a *v1alpha1.Application) { a.Spec.Source.Path = name })
	}
	p.app("drifted", func(a *v1alpha1.Application) { a.Spec.Source.Path, a.Spec.SyncPolicy = "drifted", nil })
	p.app("printed", func(a *v1alpha1.Application) {
		a.Spec.Source.Path, a.Spec.Source.Plugin = "printed", &v1alpha1.ApplicationSourcePlugin{Name: "fetches"}
	})
}

// applied waits until the cluster has what the manifests say, which is how one
// knows that the engine read them.
func (p *planting) applied() {
	p.t.Helper()
	embeddedtest.Eventually(p.t, func(ctx context.Context) error {
		var all corev1.SecretList
		if err := p.site.List(ctx, &all, clientInNamespace(p.site.Namespace)...); err != nil {
			return err
		}
		var text bytes.Buffer
		for _, s := range all.Items {
			if strings.HasPrefix(s.Name, "planted") && s.Name != "planted-live" || s.Name == "token" {
				for _, value := range s.Data {
					_, _ = text.Write(value)
				}
			}
		}
		p.bed.Saw(text.Bytes())
		for _, input := range p.bed.Unused() {
			if strings.HasPrefix(input, "manifest") {
				return fmt.Errorf("%s is not applied", input)
			}
		}
		return nil
	})
}

// plantKubeconfigs has clusters that a ClusterSource follows.
func (p *planting) plantKubeconfigs() {
	ca := base64.StdEncoding.EncodeToString([]byte(p.echo.ca()))
	config := `{current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}], clusters: [{name: c, cluster: {server: "` + p.echo.secure.URL + `/%s", certificate-authority-data: ` + ca + `}}], users: [{name: c, user: {%s}}]}`
	for name, user := range map[string]string{"kubeconfig-token": "token: %s", "kubeconfig-file": "token: %s, client-key: /etc/passwd, client-certificate: /etc/passwd", "kubeconfig-broken": "token: %s, password: [", "kubeconfig-basic": "username: me, password: %s"} {
		secret := p.bed.Text("kubeconfig: " + name)
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"planted": "kubeconfig"}}, StringData: map[string]string{"kubeconfig": fmt.Sprintf(config, name, fmt.Sprintf(user, secret))}}
		p.site.Make(s)
		p.app(name, func(a *v1alpha1.Application) { a.Spec.Destination.Name = "of-" + name })
		if name == "kubeconfig-file" || name == "kubeconfig-broken" {
			p.bed.Used("kubeconfig: " + name)
		}
	}
	source := &causeway.ClusterSource{ObjectMeta: metav1.ObjectMeta{Name: "planted"}}
	p.decode(`{clusterName: of-$(name), secrets: {selector: {matchLabels: {planted: kubeconfig}}}}`, &source.Spec)
	p.site.Make(source)
}

func (p *planting) decode(text string, into any) {
	p.t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		p.t.Fatalf("%v: %s", err, text)
	}
}

// plantMetadata names values that are no metadata.
func (p *planting) plantMetadata() {
	var state bytes.Buffer
	w := gzip.NewWriter(&state)
	_, err := fmt.Fprintf(w, `{"version":4,"outputs":{"password":{"value":%q,"type":"string","sensitive":true}}}`, p.bed.Text("metadata: sensitive output of Terraform"))
	if err := errors.Join(err, w.Close()); err != nil {
		p.t.Fatal(err)
	}
	p.site.Make(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "tfstate-default-planted"}, Data: map[string][]byte{"tfstate": state.Bytes()}})
	p.secret("private", "", map[string]string{"token": "%s"}, p.bed.Text("metadata: Secret that is not revealed"))
	m := &causeway.ClusterMetadata{ObjectMeta: metav1.ObjectMeta{Name: "planted"}}
	p.decode("{clusters: {names: [cluster-bearer-token]}, values: [{key: token, from: {secret: {name: private, key: token}}}, {key: password, from: {terraform: {secretSuffix: planted, output: password}}}]}", &m.Spec)
	p.site.Make(m)
}

// untilMetadata waits until both are dealt with.
func (p *planting) untilMetadata() {
	p.t.Helper()
	embeddedtest.Eventually(p.t, func(ctx context.Context) error {
		m, s := &causeway.ClusterMetadata{}, &corev1.Secret{}
		err := errors.Join(p.site.Get(ctx, types.NamespacedName{Namespace: p.site.Namespace, Name: "planted"}, m),
			p.site.Get(ctx, types.NamespacedName{Namespace: p.site.Namespace, Name: "cluster-bearer-token"}, s))
		if err == nil && (!strings.Contains(fmt.Sprint(m.Status.Problems), "sensitive") || s.Annotations["token"] != "secret://private/token") {
			err = fmt.Errorf("the metadata is %+v, the annotations %v", m.Status, s.Annotations)
		}
		return err
	})
	p.bed.Used("metadata: sensitive output of Terraform")
	p.bed.Used("metadata: Secret that is not revealed")
}

func (p *planting) sets() []string {
	var out []string
	for name := range plantedGenerators {
		out = append(out, p.site.ID("set-"+slug(name)))
	}
	return out
}

func (p *planting) plantGenerators() {
	tokens := map[string]string{}
	p.site.Make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "plug"}, Data: map[string]string{"baseUrl": p.echo.plain.URL + "/plugin", "token": "$tokens:plugin"}})
	for name, text := range plantedGenerators {
		tokens[slug(name)] = p.bed.Text("generator: " + name)
		set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: p.site.ID("set-" + slug(name))}}
		text = strings.ReplaceAll(strings.ReplaceAll(text, "KEY", slug(name)), "%s", p.echo.plain.URL+"/"+slug(name)+"/")
		p.decode("{generators: ["+text+"], template: {metadata: {name: x}, spec: {project: default, source: {repoURL: "+apptest.RepoURL+", path: app}, destination: {name: in-cluster}}}}", &set.Spec)
		defer p.site.Make(set)
	}
	p.secret("tokens", "", tokens, "")
}

func (p *planting) untilSets() {
	p.t.Helper()
	for _, name := range p.sets() {
		embeddedtest.Eventually(p.t, func(ctx context.Context) error {
			set := &v1alpha1.ApplicationSet{}
			err := p.site.Get(ctx, types.NamespacedName{Namespace: p.site.Namespace, Name: name}, set)
			if err == nil && !slices.ContainsFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
				return c.Status == "True" && c.Type == v1alpha1.ApplicationSetConditionErrorOccurred
			}) {
				err = fmt.Errorf("%s tells no error: %+v", name, set.Status.Conditions)
			}
			return err
		})
	}
}

// installation is what people and hosts sign in with.
type installation struct {
	issuer   *oidctest.Server
	password string
	webhooks map[string]string
}

func (p *planting) plantInstallation() {
	in := &p.installed
	in.password, in.webhooks = p.bed.Text("account: password"), map[string]string{}
	hash, err := password.New(in.password)
	if err != nil {
		p.t.Fatal(err)
	}
	p.bed.Keep("account: hash of a password", hash.Text())
	p.bed.Keep("account: password of admin", adminPassword)
	p.bed.Keep("issuer: client secret", oidctest.ClientSecret)
	data := map[string]string{"accounts.ann.password": hash.Text(), "server.secretkey": p.bed.Text("server: signing key") + strings.Repeat("x", 32), "webhook.azuredevops.username": "me"}
	for name, hook := range plantedWebhooks {
		in.webhooks[name] = p.bed.Text("webhook: " + name)
		data[hook.key] = in.webhooks[name]
	}
	p.secret(account.Secret, "", data, "")
	in.issuer = oidctest.New(p.t, issuersPeople, p.site.url+oidc.CallbackPath)
	p.site.Make(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "sign-in", Labels: map[string]string{"app.kubernetes.io/part-of": "argocd"}}, StringData: map[string]string{"secret": oidctest.ClientSecret}})
	p.site.Make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: rbac.ConfigMap}, Data: map[string]string{"policy.csv": issuersPolicy}})
	p.site.Make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{
		"url": p.site.url, "accounts.ann": "login", v1alpha1.SettingExecAllow: p.program,
		"oidc.config": fmt.Sprintf("name: Work\nissuer: %s\nclientID: %s\nclientSecret: $sign-in:secret\nrootCA: |\n  %s", in.issuer.URL, oidctest.ClientID, strings.ReplaceAll(in.issuer.CA(), "\n", "\n  ")),
	}})
}

// signsInEverywhere comes in all ways, and keeps what came of them.
func (p *planting) signsInEverywhere() {
	t, in := p.t, &p.installed
	p.v = p.site.visitor("")
	p.v.signIn(t)
	p.bed.Used("account: password of admin")
	p.keepCookies("session: cookie of admin", p.v)
	ann := p.site.visitor("")
	ann.wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "ann", Password: in.password}, nil)
	for _, used := range []string{"account: password", "account: hash of a password", "server: signing key"} {
		p.bed.Used(used)
	}
	ann.wants(t, http.StatusUnauthorized, http.MethodPost, "/session", api.Credentials{Username: "ann", Password: p.bed.Text("account: wrong password")}, nil)
	p.bed.Used("account: wrong password")
	p.site.visitor(p.bed.Text("session: wrong token")).wants(t, http.StatusUnauthorized, http.MethodGet, "/applications", nil, nil)
	p.bed.Used("session: wrong token")
	var made api.MadeKey
	p.v.wants(t, http.StatusCreated, http.MethodPost, "/keys", api.NewKey{Name: "ci", Days: 1, Scope: key.Scope{ReadOnly: true}}, &made)
	p.bed.Keep("session: API key", made.Token)
	p.site.visitor(made.Token).wants(t, http.StatusOK, http.MethodGet, "/applications", nil, nil)
	p.bed.Used("session: API key")
	p.signsInWithIssuer()
	p.sendsWebhooks()
}

func (p *planting) keepCookies(input string, v *visitor) {
	u, err := url.Parse(p.site.url)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, c := range v.client.Jar.Cookies(u) {
		if len(c.Value) > 40 {
			p.bed.Keep(input, c.Value)
			p.bed.Used(input)
		}
	}
}

func (p *planting) signsInWithIssuer() {
	t := p.t
	sees(t, p.v, "/session", func(is *api.Session) error {
		if is.SignIns.OIDC != "Work" {
			return fmt.Errorf("the ways to sign in are %+v", is.SignIns)
		}
		return nil
	})
	v := p.site.browser(p.installed.issuer)
	p.installed.issuer.Next("1")
	code := ""
	v.get(t, p.site.url+"/auth/login", func(u *url.URL) error { //nolint:bodyclose // get reads it to the end and closes it
		if u.Path == oidc.CallbackPath {
			code = u.Query().Get("code")
		}
		if "http://"+u.Host == p.site.url && u.Path != oidc.CallbackPath {
			return http.ErrUseLastResponse
		}
		return nil
	})
	p.bed.Keep("issuer: code", code)
	p.bed.Used("issuer: code")
	is(t, v, "ann@example.com", "payments")
	p.bed.Used("issuer: client secret")
	p.keepCookies("session: cookie by the issuer", v)
	bad := p.bed.Text("issuer: wrong code")
	v.get(t, p.site.url+oidc.CallbackPath+"?state=x&code="+bad, nil) //nolint:bodyclose // get reads it to the end and closes it
	p.bed.Used("issuer: wrong code")
}

func (p *planting) sendsWebhooks() {
	for name, hook := range plantedWebhooks {
		wrong := p.bed.Text("webhook: wrong secret of " + name)
		p.bed.Used("webhook: wrong secret of " + name)
		for secret, want := range map[string]int{wrong: http.StatusUnauthorized, p.installed.webhooks[name]: http.StatusOK} {
			r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.metrics+"/api/webhook", strings.NewReader(hook.body))
			if err != nil {
				p.t.Fatal(err)
			}
			for k, v := range hook.headers(secret, hook.body) {
				r.Header.Set(k, v)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				p.t.Fatal(err)
			}
			var body bytes.Buffer
			_, _ = body.ReadFrom(resp.Body)
			_ = resp.Body.Close()
			p.tell("answer to a webhook of "+name, body.Bytes())
			if resp.StatusCode != want {
				p.t.Errorf("a webhook of %s: %s %s, want %d", name, resp.Status, body.String(), want)
			}
		}
		p.bed.Used("webhook: " + name)
	}
}
