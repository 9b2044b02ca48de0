"""What a draft as a whole should cite and does not: papers by topic, with reasons and places."""
