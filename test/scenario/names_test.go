package scenario

import (
	"encoding/json"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// names puts the hashes of commits for their names.
func (p *player) names() *strings.Replacer {
	var pairs []string
	for step, hash := range p.commits {
		pairs = append(pairs, "<commit:"+step+">", hash)
	}
	return strings.NewReplacer(pairs...)
}

// started is the time of a sync in the name of a hook with generateName.
var started = regexp.MustCompile(`-(presync|sync|postsync|syncfail|predelete|postdelete)-\d{9,11}\b`)

// masked puts names where the recording has them: commits, times, addresses.
func (p *player) masked(o *unstructured.Unstructured) object {
	const short = 7
	text := string(encode(o.Object))
	var pairs []string
	for step, hash := range p.commits {
		pairs = append(pairs, hash, "<commit:"+step+">")
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	pairs = []string{p.git.url, gitTest}
	for step, hash := range p.commits {
		pairs = append(pairs, hash[:short]+"-", "<commit:"+step+">-")
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	if uid := string(o.GetUID()); uid != "" {
		text = strings.ReplaceAll(text, uid, "<uid>")
	}
	out := object{}
	if err := json.Unmarshal([]byte(started.ReplaceAllString(text, "-$1-<unixtime>")), &out); err != nil {
		panic(err) // it was JSON before
	}
	return out
}

// maskedName is masked for a name alone.
func (p *player) maskedName(name string) string {
	o := &unstructured.Unstructured{Object: object{"name": name}}
	return p.masked(o)["name"].(string)
}

var generated = regexp.MustCompile(`^(.*-)<commit:step\d+>-[a-z]+-<unixtime>$`)

// shortened is how the recording shows generated names among live objects.
func shortened(name string) string { return generated.ReplaceAllString(name, "$1*") }
