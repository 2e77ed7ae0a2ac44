package command

import "github.com/spf13/pflag"

// ServerFlags say which server is asked instead of a hub.
type ServerFlags struct {
	Address    string
	TokenFile  string
	Ca         string
	Unverified bool
}

// VariableToken has the token, where no file does.
const VariableToken = "CAUSEWAY_TOKEN"

func (s *ServerFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.Address, "server", "", "ask the API of this server (https://…) instead of the hub; with the token of causeway login, of --token-file or of "+VariableToken)
	f.StringVar(&s.TokenFile, "token-file", "", "file with the token for --server")
	f.StringVar(&s.Ca, "server-ca", "", "file with certificates (PEM) that vouch for --server besides the system's")
	f.BoolVar(&s.Unverified, "insecure-skip-verify", false, "believe --server whatever certificate it shows: whoever is on the way can read the token")
}
