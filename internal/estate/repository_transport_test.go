package estate

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
)

const ownURL = "https://git.corp/team/x"

// withTemplate are repositories below a template that has a password.
func withTemplate(t *testing.T, keys map[string]string) *Repositories {
	t.Helper()
	r := &Repositories{Writer: &Writer{Namespace: "argocd"}, Credentials: &source.Credentials{}}
	s := secretOf("template", "https://git.corp/team")
	s.Labels[v1alpha1.LabelSecretType] = v1alpha1.SecretTypeRepoCreds
	s.Data["password"] = []byte("hunter2")
	for key, value := range keys {
		s.Data[key] = []byte(value)
	}
	template, err := source.ParseRepository(s)
	if err != nil {
		t.Fatal(err)
	}
	r.Credentials.Replace([]source.Repository{template})
	return r
}

// keyed is a Secret of ownURL with keys.
func keyed(keys map[string]string, marked bool) *corev1.Secret {
	s := secretOf("r", ownURL)
	for key, value := range keys {
		s.Data[key] = []byte(value)
	}
	if marked {
		s.Annotations = map[string]string{gitops.AnnotationOwnWay: "true"}
	}
	return s
}

// TestTemplatesGoTheirOwnWay has somebody write repositories below a template at
// the API who may not read it: its password is sent by no way of theirs.
func TestTemplatesGoTheirOwnWay(t *testing.T) {
	proxy, own, none := "http://evil.example.com", "own", ""
	proxied := map[string]string{"proxy": proxy}
	cases := map[string]struct {
		reason   string
		template map[string]string
		before   *corev1.Secret
		want     func(*api.RepositoryWish)
		unfit    []string
		marked   bool
	}{
		"usual":         {reason: "the usual way", want: func(*api.RepositoryWish) {}},
		"proxy":         {reason: "a proxy reads what passes", want: func(w *api.RepositoryWish) { w.Secrets.Proxy = &proxy }, unfit: []string{"secrets.proxy"}, marked: true},
		"insecure":      {reason: "anybody answers", want: func(w *api.RepositoryWish) { w.Insecure = true }, unfit: []string{"insecure"}, marked: true},
		"plain":         {reason: "anybody reads", want: func(w *api.RepositoryWish) { w.PlainHTTP, w.NoProxy = true, "h" }, unfit: []string{"noProxy", "plainHTTP"}, marked: true},
		"own":           {reason: "the repository has a password of its own", want: func(w *api.RepositoryWish) { w.Secrets.Proxy, w.Secrets.Password = &proxy, &own }},
		"same":          {reason: "the template says the same", template: proxied, want: func(w *api.RepositoryWish) { w.Secrets.Proxy = &proxy }, marked: true},
		"elsewhere":     {reason: "no template is for it, so far", want: func(w *api.RepositoryWish) { w.URL, w.Secrets.Proxy = "https://git.corp/other", &proxy }, marked: true},
		"project":       {reason: "a project's is asked without it", want: func(w *api.RepositoryWish) { w.Insecure, w.Project = true, "team" }, unfit: []string{"insecure"}, marked: true},
		"operator's":    {reason: "a way that an operator chose stays, whatever else changes", before: keyed(proxied, false), want: func(w *api.RepositoryWish) { w.Name = "x" }},
		"more":          {reason: "but is not made another", before: keyed(proxied, false), want: func(w *api.RepositoryWish) { w.Insecure = true }, unfit: []string{"insecure", "secrets.proxy"}, marked: true},
		"moved":         {reason: "nor that of another repository", before: keyed(proxied, false), want: func(w *api.RepositoryWish) { w.URL = "https://git.corp/team/y" }, unfit: []string{"secrets.proxy"}, marked: true},
		"taken away":    {reason: "what signed in there is taken away", before: keyed(map[string]string{"proxy": proxy, "password": "p"}, false), want: func(w *api.RepositoryWish) { w.Secrets.Password = &none }, unfit: []string{"secrets.proxy"}, marked: true},
		"marked":        {reason: "a template that came later gets nothing from a change of the name", before: keyed(proxied, true), want: func(w *api.RepositoryWish) { w.Name = "x" }, marked: true},
		"no way":        {reason: "a mark goes with its way", before: keyed(proxied, true), want: func(w *api.RepositoryWish) { w.Secrets.Proxy = &none }},
		"signs in then": {reason: "and where the repository signs in", before: keyed(proxied, true), want: func(w *api.RepositoryWish) { w.Secrets.Password = &own }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := withTemplate(t, c.template)
			want := api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: ownURL}}
			if c.before != nil {
				want.RepositoryFields = repositoryOf(c.before).RepositoryFields
			}
			c.want(&want)
			s, unfit := r.wished(c.before, &want), &api.Unfit{}
			r.checkWay(c.before, s, unfit)
			var got []string
			for _, f := range unfit.Fields {
				got = append(got, f.Field)
			}
			if slices.Sort(got); !slices.Equal(got, c.unfit) {
				t.Errorf("%s: unfit are %v, want %v", c.reason, got, c.unfit)
			}
			if marked := s.Annotations[gitops.AnnotationOwnWay] == "true"; marked != c.marked {
				t.Errorf("%s: marked is %t, want %t: %v", c.reason, marked, c.marked, s.Annotations)
			}
		})
	}
}

// TestTemplatesAreNotAskedTheirPassword asks repositories and templates, without
// storing them.
func TestTemplatesAreNotAskedTheirPassword(t *testing.T) {
	proxy := "http://evil.example.com"
	r := withTemplate(t, nil)
	want := api.RepositoryProbe{RepositoryWish: api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: ownURL}, Secrets: api.RepositorySecrets{Proxy: &proxy}}}
	if _, err := r.asked(nil, &want); err == nil || !strings.Contains(err.Error(), "secrets.proxy: a template of credentials covers this address") {
		t.Errorf("a repository is asked through a proxy of one's own: %v", err)
	}
	want.Template, want.Try = true, ownURL
	asked, err := r.asked(nil, &want)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Credentials.Of(asked); got.Password != "" {
		t.Error("a template that is tried has the password of another one")
	}
}

// TestLaterTemplates has a template that comes after the repository.
func TestLaterTemplates(t *testing.T) {
	proxy := "http://evil.example.com"
	r := &Repositories{Writer: &Writer{Namespace: "argocd"}, Credentials: &source.Credentials{}}
	want := api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: ownURL}, Secrets: api.RepositorySecrets{Proxy: &proxy}}
	unfit := &api.Unfit{}
	s := r.wished(nil, &want)
	if r.checkWay(nil, s, unfit); len(unfit.Fields) > 0 {
		t.Fatalf("there is no template yet: %v", unfit)
	}
	made, err := source.ParseRepository(s)
	if err != nil {
		t.Fatal(err)
	}
	later := withTemplate(t, nil)
	later.Credentials.Replace(slices.Concat(later.Credentials.Repositories(), []source.Repository{made}))
	if got, _ := later.Credentials.For(ownURL, ""); got.Password != "" || got.Proxy != source.Secret(proxy) {
		t.Errorf("%q is sent by %q", got.Password.Reveal(), got.Proxy.Reveal())
	}
}
