solution status: time limit reached
objective value:                                 0.75
eta                                              0.75 	(obj:1)
s1                                                  1 	(obj:0)
s3                                                  1 	(obj:0)
