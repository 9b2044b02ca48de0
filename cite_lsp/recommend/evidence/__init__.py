"""How papers were cited before: in other papers, in corpora, in the writer's own drafts."""
