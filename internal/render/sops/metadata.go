package sops

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// group is a set of keys, each of which opens the data key.
type group struct {
	Age []struct {
		Recipient string `yaml:"recipient"`
		Enc       string `yaml:"enc"`
	} `yaml:"age"`
	KMS   []other `yaml:"kms"`
	GCP   []other `yaml:"gcp_kms"`
	Azure []other `yaml:"azure_kv"`
	Vault []other `yaml:"hc_vault"`
	PGP   []other `yaml:"pgp"`
}

// other is a key of a kind that cannot be used here.
type other struct {
	ARN      string `yaml:"arn"`
	Resource string `yaml:"resource_id"`
	VaultURL string `yaml:"vault_url"`
	Address  string `yaml:"vault_address"`
	Name     string `yaml:"name"`
	KeyName  string `yaml:"key_name"`
	FP       string `yaml:"fp"`
}

func (o other) String() string {
	var parts []string
	for _, p := range []string{o.ARN, o.Resource, o.VaultURL, o.Address, o.Name, o.KeyName, o.FP} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

// metadata is the block named sops of an encrypted file.
type metadata struct {
	group              `yaml:",inline"`
	KeyGroups          []group `yaml:"key_groups"`
	Shamir             int     `yaml:"shamir_threshold"`
	LastModified       string  `yaml:"lastmodified"`
	MAC                string  `yaml:"mac"`
	MACOnlyEncrypted   bool    `yaml:"mac_only_encrypted"`
	UnencryptedSuffix  string  `yaml:"unencrypted_suffix"`
	EncryptedSuffix    string  `yaml:"encrypted_suffix"`
	UnencryptedRegex   string  `yaml:"unencrypted_regex"`
	EncryptedRegex     string  `yaml:"encrypted_regex"`
	UnencryptedComment string  `yaml:"unencrypted_comment_regex"`
	EncryptedComment   string  `yaml:"encrypted_comment_regex"`
}

// readMetadata is false for a block that SOPS did not write: a key named
// sops may well mean something else.
func readMetadata(block *yaml.Node) (metadata, bool) {
	var m metadata
	if block == nil || bounded.DecodeNode(block, &m) != nil {
		return m, false
	}
	return m, m.LastModified != "" && strings.HasPrefix(m.MAC, sealMark)
}

// keys are the keys that open the data key; shares tells that it takes
// several groups to open it.
func (m metadata) keys() (keys group, shares bool) {
	keys = m.group
	if len(keys.names()) == 0 && len(m.KeyGroups) > 0 {
		keys = m.KeyGroups[0]
	}
	return keys, len(m.KeyGroups) > 1 || m.Shamir > 1
}

// names tells each key in a form that may be shown.
func (g group) names() []string {
	var out []string
	for _, k := range g.Age {
		out = append(out, k.Recipient)
	}
	for _, kind := range []struct {
		name string
		keys []other
	}{{"AWS KMS", g.KMS}, {"GCP KMS", g.GCP}, {"Azure Key Vault", g.Azure}, {"HashiCorp Vault", g.Vault}, {"PGP", g.PGP}} {
		for _, k := range kind.keys {
			out = append(out, strings.TrimSpace(kind.name+" "+k.String()))
		}
	}
	return out
}

// recipients are the names of all keys.
func (m metadata) recipients() []string {
	out := m.names()
	for _, g := range m.KeyGroups {
		out = append(out, g.names()...)
	}
	return out
}

// rules tell which values are encrypted.
type rules struct {
	suffix  string
	pattern *bounded.Expression
	// listed: what matches is encrypted; else what does not match is.
	listed bool
	// byForm: comments decide, so that a value's own form has to tell.
	byForm bool
}

// defaultSuffix ends the names of plain values where a file has no rule.
const defaultSuffix = "_unencrypted"

func (m metadata) rules() (rules, error) {
	var found []rules
	for _, s := range []struct {
		suffix, pattern string
		listed          bool
	}{{m.UnencryptedSuffix, "", false}, {m.EncryptedSuffix, "", true}, {"", m.UnencryptedRegex, false}, {"", m.EncryptedRegex, true}} {
		if s.suffix == "" && s.pattern == "" {
			continue
		}
		r := rules{suffix: s.suffix, listed: s.listed}
		if s.pattern != "" {
			p, err := bounded.Compile(s.pattern)
			if err != nil {
				return rules{}, fmt.Errorf("the pattern in its sops block cannot be used: %w", err)
			}
			r.pattern = p
		}
		found = append(found, r)
	}
	if m.UnencryptedComment != "" || m.EncryptedComment != "" {
		found = append(found, rules{byForm: true})
	}
	switch len(found) {
	case 0:
		return rules{suffix: defaultSuffix}, nil
	case 1:
		return found[0], nil
	}
	return rules{}, fmt.Errorf("its sops block has %d rules for what is encrypted, where one is allowed", len(found))
}

// encrypted reports whether a value is, below keys of which one was found by the
// rule, or none.
func (r rules) encrypted(found bool, value string) bool {
	if r.byForm {
		return strings.HasPrefix(value, sealMark)
	}
	return found == r.listed
}

// matches reports whether the rule finds a key.
func (r rules) matches(m *bounded.Matching, key string) (bool, error) {
	if r.pattern != nil {
		return m.Match(r.pattern, key)
	}
	return strings.HasSuffix(key, r.suffix), nil
}

// stamp is the additional data of the checksum.
func (m metadata) stamp() (string, error) {
	at, err := time.Parse(time.RFC3339, m.LastModified)
	if err != nil {
		return "", errors.New("lastmodified in its sops block is no time")
	}
	return at.Format(time.RFC3339), nil
}
