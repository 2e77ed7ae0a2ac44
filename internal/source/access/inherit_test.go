package access

import (
	"maps"
	"slices"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ways are what a Secret may say of the way to its server.
var ways = map[string]map[string]string{
	"":         {},
	"proxy":    {"proxy": "http://proxy.example.com"},
	"another":  {"proxy": "http://another.example.com"},
	"no proxy": {"noProxy": "h"},
	"around":   {"proxy": "http://proxy.example.com", "noProxy": "h"},
	"insecure": {"insecure": "true"},
	"host key": {"insecureIgnoreHostKey": "true"},
	"plain":    {"insecureOCIForceHttp": "true"},
	"basic":    {"forceHttpBasicAuth": "true"},
	"cert":     {"tlsClientCertData": "a certificate", "tlsClientCertKey": "its key"},
}

// described is a Secret of a kind that goes a way.
func described(t *testing.T, kind, way string, data map[string]string, marked bool) Repository {
	t.Helper()
	data = maps.Clone(data)
	maps.Copy(data, ways[way])
	s := stored(kind, data)
	if marked {
		s.Annotations = map[string]string{gitops.AnnotationOwnWay: "true"}
	}
	r, err := ParseRepository(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWhoChoosesTheWay has a template sign in for a repository, unless somebody
// who may not read it chooses the way on which that would be sent.
func TestWhoChoosesTheWay(t *testing.T) {
	cases := map[string]struct {
		reason, project, template, way, theirs string
		marked                                 bool
		want                                   string
	}{
		"none":            {reason: "a project's repository on the usual way takes the common template", project: "team", want: "bot"},
		"operator":        {reason: "who writes Secrets for all projects may read the template", way: "proxy", want: "bot"},
		"unsafe":          {reason: "and says how well it is checked, as in Argo CD", way: "insecure", want: "bot"},
		"proxy":           {reason: "a proxy reads what passes", project: "team", way: "proxy"},
		"no proxy":        {reason: "a proxy that is left out may be the one that checks", project: "team", way: "no proxy"},
		"insecure":        {reason: "anybody answers without a check", project: "team", way: "insecure"},
		"host key":        {reason: "by ssh as well", project: "team", way: "host key"},
		"plain":           {reason: "anybody reads what is not encrypted", project: "team", way: "plain"},
		"basic":           {reason: "a password is sent to who does not ask for it", project: "team", way: "basic"},
		"cert":            {reason: "a certificate is an identity of its own", project: "team", way: "cert"},
		"own":             {reason: "who may add to a project may not read its template either", project: "team", template: "team", way: "proxy"},
		"own, as is":      {reason: "a project's template is for its repositories", project: "team", template: "team", want: "bot"},
		"other":           {reason: "another project's template is for nobody else", project: "team", template: "other"},
		"API":             {reason: "who writes at the API may not read it", way: "proxy", marked: true},
		"API, unsafe":     {reason: "in whatever way it would show", way: "insecure", marked: true},
		"API, none":       {reason: "the usual way shows it to nobody", marked: true, want: "bot"},
		"same":            {reason: "the template says that proxy itself", project: "team", way: "proxy", theirs: "proxy", want: "bot"},
		"same, API":       {reason: "to the API's writers as well", way: "insecure", theirs: "insecure", marked: true, want: "bot"},
		"another":         {reason: "the template says another proxy", way: "proxy", theirs: "another", marked: true},
		"around":          {reason: "the template leaves no host out of its proxy", way: "around", theirs: "proxy", marked: true},
		"not around":      {reason: "the template leaves this host out of its proxy", way: "proxy", theirs: "around", marked: true},
		"less":            {reason: "the template has less checked", way: "proxy", theirs: "insecure", marked: true},
		"the template's":  {reason: "a way of the template's alone", theirs: "proxy", marked: true, want: "bot"},
		"operator's, too": {reason: "an operator may say another proxy", way: "proxy", theirs: "another", want: "bot"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			template := described(t, TypeTemplate, c.theirs, map[string]string{"url": "https://h/org", "username": "bot", "password": "bot", "project": c.template}, false)
			own := described(t, TypeRepository, c.way, map[string]string{"url": "https://h/org/x", "project": c.project}, c.marked)
			var store Credentials
			store.Replace([]Repository{template})
			asked := store.Of(own)
			store.Replace([]Repository{template, own})
			used, _ := store.For(own.URL, c.project)
			for how, got := range map[string]Credential{"asked": asked, "used": used} {
				if got.Password.Reveal() != c.want || got.Username != c.want {
					t.Errorf("%s: %s as %q; want %q", c.reason, how, got.Username, c.want)
				}
				if c.theirs == "" && (got.Proxy != own.Credential.Proxy || got.Insecure != own.Credential.Insecure || got.TLSKey != own.Credential.TLSKey) {
					t.Errorf("%s: %s on another way than its Secret says", c.reason, how)
				}
			}
		})
	}
}

// TestTemplatesLendNothingToTemplates asks a repository for a template that is tried.
func TestTemplatesLendNothingToTemplates(t *testing.T) {
	stored := described(t, TypeTemplate, "", map[string]string{"url": "https://h/org", "username": "bot", "password": "bot"}, false)
	tried := described(t, TypeTemplate, "proxy", map[string]string{"url": "https://h/org/x"}, false)
	var store Credentials
	store.Replace([]Repository{stored})
	if got := store.Of(tried); got.SignsIn() {
		t.Errorf("it is tried as %q", got.Username)
	}
}

// TestDepartures holds repositories against templates.
func TestDepartures(t *testing.T) {
	opens := map[string]string{"url": "https://h/org", "username": "bot", "password": "bot"}
	teams := map[string]string{"url": "https://h/org/", "username": "bot", "password": "bot", "project": "team"}
	cases := map[string]struct {
		reason, way, project, url string
		templates                 []Repository
		want                      []string
	}{
		"usual":    {reason: "the usual way", templates: []Repository{described(t, TypeTemplate, "", opens, false)}},
		"proxy":    {reason: "its own proxy", way: "proxy", templates: []Repository{described(t, TypeTemplate, "", opens, false)}, want: []string{"proxy"}},
		"around":   {reason: "two words", way: "around", templates: []Repository{described(t, TypeTemplate, "", opens, false)}, want: []string{"proxy", "noProxy"}},
		"same":     {reason: "the template's proxy", way: "proxy", templates: []Repository{described(t, TypeTemplate, "proxy", opens, false)}},
		"cert":     {reason: "it signs in by itself", way: "cert", templates: []Repository{described(t, TypeTemplate, "", opens, false)}},
		"beside":   {reason: "no template covers it", way: "proxy", url: "https://h/else/x", templates: []Repository{described(t, TypeTemplate, "", opens, false)}},
		"opens":    {reason: "a template that opens nothing", way: "proxy", templates: []Repository{described(t, TypeTemplate, "", map[string]string{"url": "https://h/org"}, false)}},
		"team's":   {reason: "a project's template signs in for that project where the repository is everybody's", way: "proxy", templates: []Repository{described(t, TypeTemplate, "", teams, false)}, want: []string{"proxy"}},
		"other's":  {reason: "and not for another project's repository", way: "proxy", project: "other", templates: []Repository{described(t, TypeTemplate, "", teams, false)}},
		"either's": {reason: "one that does not say the same is enough", way: "proxy", templates: []Repository{described(t, TypeTemplate, "proxy", opens, false), described(t, TypeTemplate, "", teams, false)}, want: []string{"proxy"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var store Credentials
			store.Replace(c.templates)
			data := map[string]string{"url": "https://h/org/x", "project": c.project}
			if c.url != "" {
				data["url"] = c.url
			}
			if got := store.Departures(described(t, TypeRepository, c.way, data, false)); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", c.reason, got, c.want)
			}
		})
	}
}
