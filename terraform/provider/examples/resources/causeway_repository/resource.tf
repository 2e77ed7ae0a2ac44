variable "password" {
  type      = string
  ephemeral = true
}

resource "causeway_repository" "github" {
  name        = "github"
  url_prefix  = "https://github.com/example"
  username    = "robot"
  password_wo = var.password
}
