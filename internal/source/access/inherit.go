package access

import (
	"cmp"

	"github.com/causeway-gitops/causeway/internal/source/address"
)

// inherit has a template sign in where the repository does not. What belongs to
// a project, or was chosen at the API, is written by people who may not read the
// template: they would read it at a proxy of their own, so there is none of it
// on a way that they choose.
func (r Repository) inherit(template Credential) Credential {
	stranger := r.Project != "" || r.OwnWay
	if r.Credential.SignsIn() || stranger && len(r.Credential.departures(template)) > 0 {
		return r.own()
	}
	return merge(r.Credential, template)
}

// connects reports whether the credential has words of its own on the way to
// the server, and on how well that is checked.
func (c Credential) connects() bool { return len(c.departures(Credential{})) > 0 }

// departures are the keys of a Secret by which the credential takes another way
// to the server than a template, or has it checked less.
func (c Credential) departures(template Credential) []string {
	var keys []string
	for _, k := range []struct {
		key string
		is  bool
	}{
		{"proxy", c.Proxy != "" && c.Proxy != template.Proxy},
		{"noProxy", (c.NoProxy != "" || c.Proxy != "" && c.Proxy == template.Proxy) && c.NoProxy != template.NoProxy},
		{"insecure", c.Insecure && !template.Insecure},
		{"insecureOCIForceHttp", c.PlainHTTP && !template.PlainHTTP},
		{"forceHttpBasicAuth", c.ForceBasic && !template.ForceBasic},
		{"tlsClientCertData", c.TLSCert != "" && c.TLSCert != template.TLSCert},
	} {
		if k.is {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// ChoosesWay reports whether a repository says by which way it is reached, and
// leaves it to a template to sign in there.
func (r Repository) ChoosesWay() bool {
	return !r.Template && !r.Credential.SignsIn() && r.Credential.connects()
}

// KeepsWay reports whether a repository is for those and reached by the way that
// it was before, and still does not sign in by itself.
func (r Repository) KeepsWay(before Repository) bool {
	a, b := &r.Credential, &before.Credential
	return r.URL == before.URL && r.Project == before.Project && !a.SignsIn() && !b.SignsIn() &&
		a.Proxy == b.Proxy && a.NoProxy == b.NoProxy && a.Insecure == b.Insecure && a.PlainHTTP == b.PlainHTTP &&
		a.ForceBasic == b.ForceBasic && a.Type == b.Type && a.EnableOCI == b.EnableOCI
}

// Departures are the keys by which a repository takes another way than a
// template that would sign in for it, on behalf of whatever project. There are
// none where it signs in by itself, or no template covers it.
func (c *Credentials) Departures(r Repository) []string {
	at, err := address.Parse(r.URL)
	p := c.repositories.Load()
	if err != nil || p == nil || !r.ChoosesWay() {
		return nil
	}
	covers := func(e entry) bool { return e.Template && e.covers(at.Canonical()) }
	for _, e := range *p {
		if !covers(e) {
			continue
		}
		t := best(*p, cmp.Or(r.Project, e.Project), covers)
		if t == nil || !t.Credential.SignsIn() {
			continue // it is another project's, or opens nothing
		}
		if keys := r.Credential.departures(t.Credential); len(keys) > 0 {
			return keys
		}
	}
	return nil
}
