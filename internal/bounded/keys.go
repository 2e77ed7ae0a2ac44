package bounded

// MakeKeys are the functions of templates that take long whatever they are
// given: they make keys, certificates and hashes of passwords. A template calls
// so many of them and no more, and looks at its context before each.
var MakeKeys = []string{
	"bcrypt", "htpasswd", "genPrivateKey", "derivePassword", "genCA", "genCAWithKey",
	"genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "encryptAES", "decryptAES",
}
