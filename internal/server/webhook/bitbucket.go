package webhook

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// parseBitbucket reads events of Bitbucket Cloud, which hold a change for
// each branch or tag that was pushed.
func parseBitbucket(event string, body []byte) (Push, error) {
	if event != "repo:push" {
		return Push{}, errIgnored
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
			Changes list[cloudChange] `json:"changes"`
		} `json:"push"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Push{}, err
	}
	html, name := e.Repository.Links.HTML.Href, e.Repository.FullName
	var ssh string
	if name != "" {
		ssh = "git@bitbucket.org:" + name + ".git"
	}
	urls, err := addresses(html, ssh)
	if err != nil {
		return Push{}, err
	}
	changes := e.Push.Changes
	all := make([]Moved, 0, len(changes.items))
	for _, c := range changes.items {
		all = append(all, c.moved())
	}
	return Push{RepoURLs: urls, Moved: moved(all, !changes.cut)}, nil
}

// cloudChange is what a push did to a branch or tag.
type cloudChange struct {
	New, Old *struct {
		Type, Name string
		Target     struct{ Hash string }
	}
}

func (c cloudChange) moved() Moved {
	switch {
	case c.New != nil:
		return Moved{refOf(c.New.Type, c.New.Name), c.New.Target.Hash}
	case c.Old != nil:
		return Moved{Ref: refOf(c.Old.Type, c.Old.Name)} // it was deleted
	}
	return Moved{}
}

func refOf(kind, name string) string {
	if kind == "tag" || kind == "annotated_tag" {
		return "refs/tags/" + name
	}
	return "refs/heads/" + name
}

// parseBitbucketServer reads events of Bitbucket Server and Data Center.
func parseBitbucketServer(event string, body []byte) (Push, error) {
	if event != "repo:refs_changed" {
		return Push{}, errIgnored
	}
	type link struct{ Href, Name string }
	var e struct {
		Repository struct {
			Slug    string `json:"slug"`
			Project struct {
				Key string `json:"key"`
			} `json:"project"`
			Links struct {
				Clone, Self list[link]
			} `json:"links"`
		} `json:"repository"`
		Changes list[struct {
			Ref    struct{ ID string } `json:"ref"`
			ToHash string              `json:"toHash"`
		}] `json:"changes"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Push{}, err
	}
	repo, urls := e.Repository, []string{}
	for _, l := range repo.Links.Clone.items {
		urls = append(urls, l.Href)
	}
	for _, l := range repo.Links.Self.items {
		urls = append(urls, cloneURL(l.Href, repo.Project.Key, repo.Slug))
	}
	urls, err := addresses(urls...)
	if err != nil {
		return Push{}, err
	}
	all := make([]Moved, 0, len(e.Changes.items))
	for _, c := range e.Changes.items {
		all = append(all, Moved{c.Ref.ID, commitOf(c.ToHash)})
	}
	return Push{RepoURLs: urls, Moved: moved(all, !e.Changes.cut)}, nil
}

// cloneURL makes the address to clone from out of that of the page: newer
// servers send no clone links.
func cloneURL(self, project, slug string) string {
	u, err := url.Parse(self)
	if err != nil || project == "" || slug == "" {
		return ""
	}
	prefix, _, _ := strings.Cut(u.Path, "/projects/")
	if strings.HasPrefix(project, "~") { // a person's, whose pages are below /users/, too
		prefix, _, _ = strings.Cut(prefix, "/users/")
	}
	u.Path = prefix + "/scm/" + strings.ToLower(project) + "/" + slug + ".git"
	return u.String()
}

// decoded takes the JSON out of a form, which is how GitHub sends events
// unless it is told otherwise. What else is in the form is not kept.
func decoded(body []byte) []byte {
	if len(body) == 0 || body[0] == '{' {
		return body
	}
	for field := range bytes.SplitSeq(body, []byte("&")) {
		value, is := bytes.CutPrefix(field, []byte("payload="))
		if !is {
			continue
		}
		text, err := url.QueryUnescape(string(value))
		if err != nil {
			return body
		}
		return []byte(text)
	}
	return body
}
