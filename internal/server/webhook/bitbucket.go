package webhook

import (
	"encoding/json"
	"net/url"
	"strings"
)

// parseBitbucket reads events of Bitbucket Cloud, which hold a change for
// each branch or tag that was pushed.
func parseBitbucket(event string, body []byte) ([]Push, error) {
	if event != "repo:push" {
		return nil, errIgnored
	}
	var e struct {
		Repository struct {
			FullName string `json:"full_name"`
			Links    struct {
				HTML struct {
					Href string `json:"href"`
				} `json:"html"`
			} `json:"links"`
		} `json:"repository"`
		Push struct {
			Changes []struct {
				New, Old *struct {
					Type, Name string
					Target     struct{ Hash string }
				}
			} `json:"changes"`
		} `json:"push"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	html, name := e.Repository.Links.HTML.Href, e.Repository.FullName
	var ssh string
	if name != "" {
		ssh = "git@bitbucket.org:" + name + ".git"
	}
	urls := addresses(html, ssh)
	if len(urls) == 0 {
		return nil, errIgnored
	}
	var out []Push
	for _, c := range e.Push.Changes {
		p := Push{RepoURLs: urls}
		at := c.New
		if at == nil {
			at = c.Old // the branch was deleted
		}
		if at != nil {
			p.Ref = refOf(at.Type, at.Name)
		}
		if c.New != nil {
			p.Revision = c.New.Target.Hash
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		out = []Push{{RepoURLs: urls}}
	}
	return out, nil
}

func refOf(kind, name string) string {
	if kind == "tag" || kind == "annotated_tag" {
		return "refs/tags/" + name
	}
	return "refs/heads/" + name
}

// parseBitbucketServer reads events of Bitbucket Server and Data Center.
func parseBitbucketServer(event string, body []byte) ([]Push, error) {
	if event != "repo:refs_changed" {
		return nil, errIgnored
	}
	type link struct{ Href, Name string }
	var e struct {
		Repository struct {
			Slug    string `json:"slug"`
			Project struct {
				Key string `json:"key"`
			} `json:"project"`
			Links struct {
				Clone, Self []link
			} `json:"links"`
		} `json:"repository"`
		Changes []struct {
			Ref    struct{ ID string } `json:"ref"`
			ToHash string              `json:"toHash"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	var urls []string
	for _, l := range e.Repository.Links.Clone {
		urls = append(urls, l.Href)
	}
	for _, l := range e.Repository.Links.Self {
		urls = append(urls, cloneURL(l.Href, e.Repository.Project.Key, e.Repository.Slug))
	}
	urls = addresses(urls...)
	if len(urls) == 0 {
		return nil, errIgnored
	}
	out := make([]Push, 0, len(e.Changes))
	for _, c := range e.Changes {
		out = append(out, Push{RepoURLs: urls, Ref: c.Ref.ID, Revision: commitOf(c.ToHash)})
	}
	if len(out) == 0 {
		out = []Push{{RepoURLs: urls}}
	}
	return out, nil
}

// cloneURL makes the address to clone from out of that of the page: newer
// servers send no clone links.
func cloneURL(self, project, slug string) string {
	u, err := url.Parse(self)
	if err != nil || project == "" || slug == "" {
		return ""
	}
	prefix, _, _ := strings.Cut(u.Path, "/projects/")
	u.Path = prefix + "/scm/" + strings.ToLower(project) + "/" + slug + ".git"
	return u.String()
}

// decoded takes the JSON out of a form, which is how GitHub sends events
// unless it is told otherwise.
func decoded(body []byte) []byte {
	if len(body) == 0 || body[0] == '{' {
		return body
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("payload") == "" {
		return body
	}
	return []byte(form.Get("payload"))
}
