package oidc

// Public is a client without a secret, such as a command line: the issuer, the
// client's name there, what it asks for and RootCA are taken from c, as an
// installation tells them.
func Public(c *Config) (*Config, error) {
	out := &Config{Issuer: c.Issuer, ClientID: c.ClientID, Scopes: c.Scopes, IDTokenClaims: c.IDTokenClaims, RootCA: c.RootCA}
	if err := out.check(); err != nil {
		return nil, err
	}
	return out, nil
}
