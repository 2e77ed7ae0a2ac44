package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/planted"
)

// listenEverywhere collects all outputs.
func (p *planting) listenEverywhere() {
	p.t.Helper()
	p.answers()
	p.argoAnswers()
	p.tell("metrics", p.fetch(p.metrics+"/metrics"))
	p.commands()
	p.objects()
}

// looksAtRemains collects what is left when the engine has ended.
func (p *planting) looksAtRemains() {
	p.t.Helper()
	p.files("cache", p.cache)
	p.files("temporary", os.Getenv("TMPDIR"))
	p.files("processes", p.notes)
	p.tell("log", p.log.bytes())
	p.tell("traces", p.spans.bytes())
}

func (p *planting) tell(where string, data []byte) { p.told[where] = append(p.told[where], data...) }

// objects are those of the namespace but Secrets.
func (p *planting) objects() {
	p.t.Helper()
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}, {Group: "argoproj.io", Version: "v1alpha1", Kind: "ApplicationSet"}, {Group: "argoproj.io", Version: "v1alpha1", Kind: "AppProject"},
		{Group: "causeway.io", Version: "v1alpha1", Kind: "ClusterSource"}, {Group: "causeway.io", Version: "v1alpha1", Kind: "ClusterMetadata"},
		{Version: "v1", Kind: "Event"}, {Version: "v1", Kind: "ConfigMap"},
	} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		if err := p.site.List(p.t.Context(), list, clientInNamespace(p.site.Namespace)...); err != nil {
			p.t.Fatal(err)
		}
		for _, o := range list.Items {
			text, err := json.Marshal(o.Object)
			if err != nil {
				p.t.Fatal(err)
			}
			p.tell("object "+gvk.Kind+" "+o.GetName(), text)
		}
	}
}

// files are all of a folder.
func (p *planting) files(where, dir string) {
	p.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it has gone meanwhile
		}
		data, err := os.ReadFile(path)
		if err == nil {
			rest, _ := filepath.Rel(dir, path)
			p.tell(where+" "+rest, data)
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *planting) fetch(address string) []byte {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), await.Limit)
	defer cancel()
	resp := p.ask(ctx, address)
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return append(head(resp), text...)
}

func (p *planting) ask(ctx context.Context, address string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.v.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.v.token)
	}
	resp, err := p.v.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp
}

func head(resp *http.Response) []byte {
	var head bytes.Buffer
	_ = resp.Header.Write(&head)
	return head.Bytes()
}

// follow is a stream of changes, which has no end of its own: it is read until it has told of a change of each Application.
func (p *planting) follow(address string) []byte {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), await.Limit)
	defer cancel()
	resp := p.ask(ctx, address)
	defer func() { _ = resp.Body.Close() }()
	var untold []string
	for _, name := range p.apps {
		p.site.rewrite(p.t, name, func(a *v1alpha1.Application) { metav1.SetMetaDataLabel(&a.ObjectMeta, "followed", "yes") })
		untold = append(untold, p.site.ID(name))
	}
	text := head(resp)
	for lines := bufio.NewReader(resp.Body); len(untold) > 0; {
		line, err := lines.ReadString('\n')
		text = append(text, line...)
		if err != nil {
			p.t.Fatalf("%s ended before it told of %q: %v", address, untold, err)
		}
		untold = slices.DeleteFunc(untold, func(name string) bool { return strings.Contains(line, strconv.Quote(name)) })
	}
	return text
}

// answers are those of all routes that only read, as the API's own document
// lists them, for each Application, cluster, repository and set.
func (p *planting) answers() {
	p.t.Helper()
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if code, err := p.v.do(p.t.Context(), http.MethodGet, "/openapi.json", nil, &document); err != nil || code != http.StatusOK || len(document.Paths) < 20 {
		p.t.Fatalf("the document of the API: %d, %v", code, err)
	}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		if document.Paths[path]["get"] == nil || strings.HasSuffix(path, "/open") {
			continue
		}
		read := p.fetch
		if path == api.Prefix+"/events" {
			read = p.follow
		}
		for _, full := range p.filledIn(path) {
			p.tell("answer "+full, read(p.site.url+full))
		}
	}
}

var parameter = regexp.MustCompile(`\{[a-zA-Z]+\}`)

// filledIn are a route's paths for all that is there.
func (p *planting) filledIn(path string) []string {
	if !strings.HasPrefix(path, api.Prefix) {
		path = api.Prefix + path
	}
	if !parameter.MatchString(path) {
		return []string{path + p.query(path)}
	}
	var out []string
	for _, values := range p.valuesOf(path) {
		at := 0
		full := parameter.ReplaceAllStringFunc(path, func(string) string {
			at++
			return url.PathEscape(values[min(at, len(values))-1])
		})
		out = append(out, full+p.query(path))
	}
	return out
}

func (p *planting) query(path string) string {
	switch {
	case strings.HasSuffix(path, "/object"):
		return "?version=v1&kind=Secret&objectName=planted&objectNamespace=" + p.site.Namespace
	case strings.HasSuffix(path, "/field"):
		return "?object=Secret/planted&path=data"
	case strings.HasSuffix(path, "/search"):
		return "?q=planted"
	case strings.HasSuffix(path, "/bridge-key"):
		return "?in=annotation&name=token"
	}
	return ""
}

// valuesOf are the names that stand for a route's parameters.
func (p *planting) valuesOf(path string) [][]string {
	rest := strings.TrimPrefix(path, api.Prefix)
	var out [][]string
	switch {
	case strings.HasPrefix(rest, "/applications/{namespace}/{name}/history/{id}"):
		for _, id := range p.ids("/applications/" + p.site.Namespace + "/" + p.site.ID("manifests") + "/history") {
			out = append(out, []string{p.site.Namespace, p.site.ID("manifests"), id, id})
		}
	case strings.HasPrefix(rest, "/applications/"):
		for _, name := range p.apps {
			out = append(out, []string{p.site.Namespace, p.site.ID(name)})
		}
	case strings.HasPrefix(rest, "/applicationsets/"):
		for _, name := range p.sets() {
			out = append(out, []string{p.site.Namespace, name})
		}
	case strings.HasPrefix(rest, "/repositories/"):
		for name := range p.repos {
			out = append(out, []string{"repository-" + slug(name)})
		}
	case strings.HasPrefix(rest, "/clusters/"):
		for name := range p.spokes {
			out = append(out, []string{"cluster-" + slug(name)})
		}
	case strings.HasPrefix(rest, "/bridge/"):
		for name := range p.spokes {
			out = append(out, []string{slug(name)})
		}
	default:
		out = [][]string{{"default"}}
	}
	return out
}

func (p *planting) ids(path string) []string {
	var all []struct{ ID string }
	if code, err := p.v.do(p.t.Context(), http.MethodGet, path, nil, &all); err != nil || code != http.StatusOK || len(all) == 0 {
		p.t.Fatalf("%s: %d %v: %d", path, code, err, len(all))
	}
	var out []string
	for _, one := range all {
		out = append(out, one.ID)
	}
	return out
}

// argoAnswers are those at Argo CD's addresses.
func (p *planting) argoAnswers() {
	p.t.Helper()
	paths := []string{"/version", "/v1/session/userinfo", "/v1/settings", "/v1/applications", "/v1/applicationsets", "/v1/projects", "/v1/projects/default", "/v1/clusters", "/v1/repositories"}
	for _, name := range p.apps {
		at := "/v1/applications/" + p.site.ID(name)
		for _, rest := range []string{"", "/resource-tree", "/managed-resources", "/manifests", "/events", "/resource?version=v1&kind=Secret&resourceName=planted&namespace=" + p.site.Namespace, "/revisions/HEAD/metadata"} {
			paths = append(paths, at+rest)
		}
	}
	for _, name := range p.sets() {
		paths = append(paths, "/v1/applicationsets/"+name)
	}
	for _, g := range p.spokes {
		paths = append(paths, "/v1/clusters/"+url.PathEscape(strings.ReplaceAll(g.url, "me:%s@", "")))
	}
	for _, g := range p.repos {
		paths = append(paths, "/v1/repositories/"+url.PathEscape(strings.ReplaceAll(g.url, "me:%s@", "")))
	}
	for _, path := range paths {
		p.tell("answer "+argocd.Prefix+path, p.fetch(p.site.url+argocd.Prefix+path))
	}
}

// commands are those that look at a hub.
func (p *planting) commands() {
	p.t.Helper()
	file := p.kubeconfig()
	asked := [][]string{
		{"get", "apps", "-o", "wide"}, {"get", "apps", "-o", "yaml"}, {"get", "apps", "-o", "json"}, {"get", "appsets", "-o", "yaml"}, {"get", "clusters", "-o", "yaml"}, {"get", "clusters", "-o", "wide"}, {"get", "repos", "-o", "yaml"}, {"get", "repos", "-o", "wide"}, {"get", "projects", "-o", "json"},
		{"doctor", "-o", "json"}, {"doctor"}, {"export", "fleet"}, {"bridge"}, {"audit"},
		{"tree", p.site.ID("manifests")}, {"diff", p.site.ID("manifests")}, {"why", p.site.ID("manifests")}, {"history", p.site.ID("manifests")}, {"trace", p.site.ID("manifests")},
		{"why", p.site.ID("repository-password")}, {"why", p.site.ID("cluster-password")}, {"diff", p.site.ID("repository-password")}, {"tree", p.site.ID("cluster-password")},
	}
	for _, name := range []string{"sealed", "drifted"} { // values of Secrets are in both, so each way to print masks them
		for _, output := range []string{"diff", "table", "wide", "json", "yaml", "name"} {
			asked = append(asked, []string{"diff", p.site.ID(name), "-o", output})
		}
	}
	for _, args := range asked {
		var out, errs strings.Builder
		all := append(slices.Clone(args), "--kubeconfig", file, "--namespace", p.site.Namespace)
		code := cli.Run(p.t.Context(), "test", all, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		p.t.Logf("causeway %s: %d, %d bytes; %.200s", strings.Join(args, " "), code, out.Len(), errs.String())
		p.tell("causeway "+strings.Join(args, " "), []byte(out.String()+errs.String()))
	}
}

func (p *planting) kubeconfig() string {
	p.t.Helper()
	c := clientcmdapi.NewConfig()
	h := p.site.Hub
	c.Clusters["hub"] = &clientcmdapi.Cluster{Server: h.Host, CertificateAuthorityData: h.CAData, CertificateAuthority: h.CAFile}
	c.AuthInfos["hub"] = &clientcmdapi.AuthInfo{ClientCertificateData: h.CertData, ClientKeyData: h.KeyData, Token: h.BearerToken, ClientCertificate: h.CertFile, ClientKey: h.KeyFile}
	c.Contexts["hub"] = &clientcmdapi.Context{Cluster: "hub", AuthInfo: "hub"}
	c.CurrentContext = "hub"
	file := filepath.Join(p.t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// allowed reports whether a secret is where it has to be: with the program that
// it is for, and in the object that it makes.
func allowed(where string, found planted.Found) bool {
	its := func(place, input string) bool {
		return strings.HasPrefix(where, place) && strings.HasPrefix(found.Input, input)
	}
	switch {
	case its("processes git-", "repository: "):
		return strings.HasSuffix(where, ".env") // an environment is its process's alone
	case its("processes ssh-", "repository: "):
		return strings.HasSuffix(where, ".env") && strings.Contains(found.Input, "SSH")
	case its("processes program-", "cluster: environment of a program"), its("processes program-", "cluster: argument of a program"):
		return true
	}
	return its("object ConfigMap settings", "manifest: encrypted by SOPS") // it is deployed
}

func clientInNamespace(ns string) []client.ListOption {
	return []client.ListOption{client.InNamespace(ns)}
}
