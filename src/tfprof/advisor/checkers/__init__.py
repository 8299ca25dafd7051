"""The checkers, one file each. `tfprof.advisor.CHECKERS` lists them; nothing else imports them."""
